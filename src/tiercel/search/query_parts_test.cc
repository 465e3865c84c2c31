// The small parts of the query DSL by themselves: minimum_should_match, wildcards, phrases, literals, BM25.
#include <gtest/gtest.h>

#include <array>

#include "tiercel/search/bm25.h"
#include "tiercel/search/clause_parser.h"
#include "tiercel/search/constant_scorer.h"
#include "tiercel/search/literal.h"
#include "tiercel/search/minimum_should_match.h"
#include "tiercel/search/phrase_matcher.h"
#include "tiercel/search/wildcard_pattern.h"

namespace tiercel::search {
namespace {

TEST(MinimumShouldMatchTest, EveryForm) {
  struct Case {
    const char* text;
    uint32_t clauses, minimum;
  };
  for (const Case& c :
       {Case{"2", 4, 2},      {"9", 4, 9},          {"-1", 4, 3},         {"-9", 4, 0},       {"75%", 4, 3},
        {"75%", 5, 3},        {"-25%", 4, 3},       {"-30%", 3, 3},       {"-30%", 4, 3},     {"200%", 2, 4},
        {"0", 3, 0},          {"+2", 3, 2},         {"2<75%", 2, 2},      {"2<75%", 3, 2},    {"2<75%", 4, 3},
        {"1<-1 4<50%", 1, 1}, {"1<-1 4<50%", 4, 3}, {"1<-1 4<50%", 6, 3}, {" 1 < -1 ", 3, 2}, {"3<90%", 0, 0},
        {"1", 0, 1}}) {
    EXPECT_EQ(ComputeMinimumShouldMatch(c.text, c.clauses).value(), c.minimum) << c.text << " of " << c.clauses;
  }
}

TEST(MinimumShouldMatchTest, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "abc", "1.5", "%", "5%%", "<2", "2<", "2<x", "1 2", "99999999999"}) {
    const auto result = ComputeMinimumShouldMatch(text, 3);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(result.error().type(), "number_format_exception");
  }
  EXPECT_EQ(ComputeMinimumShouldMatch("abc", 3).error().message(), "For input string: \"abc\"");
}

TEST(WildcardPatternTest, Matches) {
  const auto matches = [](std::string_view pattern, std::string_view text) {
    return WildcardPattern(pattern, false).Matches(text);
  };
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a*c", "abbbc"));
  EXPECT_TRUE(matches("a*b*c", "axbxbxc"));
  EXPECT_FALSE(matches("a*b*c", "axbxbx"));
  EXPECT_TRUE(matches("b?ue", "blue"));
  EXPECT_TRUE(matches("?", "é"));
  EXPECT_TRUE(matches("*?", "東京"));
  EXPECT_FALSE(matches("??", "京"));
  EXPECT_FALSE(matches("?", ""));
  EXPECT_TRUE(matches("a\\*b", "a*b"));
  EXPECT_FALSE(matches("a\\*b", "axb"));
  EXPECT_TRUE(matches("a\\", "a\\"));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_TRUE(matches("**a**", "bab"));
}

TEST(WildcardPatternTest, IgnoresCaseOfAsciiOnly) {
  EXPECT_TRUE(WildcardPattern("AL*", true).Matches("alpha"));
  EXPECT_FALSE(WildcardPattern("É", true).Matches("é"));
  EXPECT_EQ(WildcardPattern("1a*", true).prefix(), "1");
  EXPECT_EQ(WildcardPattern("ab*c", false).prefix(), "ab");
  EXPECT_TRUE(EqualsIgnoringCase("RéD", "réd"));
  EXPECT_FALSE(EqualsIgnoringCase("red", "redo"));
}

float Sloppy(std::vector<PhrasePlace> places, uint32_t slop, const std::vector<std::vector<uint32_t>>& positions) {
  std::vector<std::span<const uint32_t>> spans(positions.begin(), positions.end());
  return SloppyMatcher(places, slop).Freq(spans);
}

TEST(PhraseMatcherTest, Exact) {
  const std::vector<PhrasePlace> places = {{0, 0}, {1, 1}, {0, 2}};
  const std::vector<uint32_t> a = {1, 3, 5, 9}, b = {2, 4, 6};
  const std::vector<std::span<const uint32_t>> positions = {a, b, a};
  EXPECT_EQ(ExactPhraseFreq(places, positions, UINT32_MAX), 2u);
  EXPECT_EQ(ExactPhraseFreq(places, positions, 1), 1u);
  const std::vector<PhrasePlace> gap = {{0, 0}, {1, 3}};
  EXPECT_EQ(ExactPhraseFreq(gap, std::vector<std::span<const uint32_t>>{a, b}, UINT32_MAX), 2u);
}

TEST(PhraseMatcherTest, SlopWeighsByDistance) {
  const std::vector<PhrasePlace> two = {{0, 0}, {1, 1}};
  EXPECT_EQ(Sloppy(two, 0, {{0}, {1}}), 1.0f);
  EXPECT_EQ(Sloppy(two, 1, {{0}, {2}}), 0.5f);
  EXPECT_EQ(Sloppy(two, 1, {{1}, {0}}), 0.0f);  // swapping takes two moves
  EXPECT_EQ(Sloppy(two, 2, {{1}, {0}}), 1.0f / 3);
  EXPECT_EQ(Sloppy(two, 3, {{0}, {4}}), 0.25f);
}

TEST(PhraseMatcherTest, PlacesOfOneTermNeverShareAPosition) {
  const std::vector<PhrasePlace> twice = {{0, 0}, {0, 1}};
  EXPECT_EQ(Sloppy(twice, 10, {{0}, {0}}), 0.0f);
  EXPECT_EQ(Sloppy(twice, 10, {{0, 1}, {0, 1}}), 1.0f);
  EXPECT_EQ(Sloppy(twice, 10, {{0, 5}, {0, 5}}), 0.2f);
}

mapping::Field FieldOf(mapping::FieldType type) {
  mapping::Field field;
  field.name = "f";
  field.type = type;
  return field;
}

TEST(LiteralTest, IntegerBoundsRoundInwards) {
  const mapping::Field field = FieldOf(mapping::FieldType::kLong);
  const auto low = [&](const char* text, bool inclusive) {
    return *EncodeLowerBound(field, {text, true}, inclusive).value();
  };
  const auto high = [&](const char* text, bool inclusive) {
    return *EncodeUpperBound(field, {text, true}, inclusive).value();
  };
  EXPECT_EQ(low("7", true), 7);
  EXPECT_EQ(low("7", false), 8);
  EXPECT_EQ(low("6.5", true), 7);
  EXPECT_EQ(low("6.5", false), 7);
  EXPECT_EQ(low("-6.5", true), -6);
  EXPECT_EQ(high("7", false), 6);
  EXPECT_EQ(high("6.5", true), 6);
  EXPECT_EQ(high("-6.5", false), -7);
  EXPECT_EQ(high("7e2", true), 700);
  EXPECT_EQ(EncodeLowerBound(field, {"9223372036854775807", true}, false).value(), std::nullopt);
  EXPECT_EQ(EncodeUpperBound(field, {"-9223372036854775808", true}, false).value(), std::nullopt);
  EXPECT_EQ(EncodeLowerBound(FieldOf(mapping::FieldType::kByte), {"128", true}, true).error().message(),
            "Value [128] is out of range for a byte");
}

TEST(LiteralTest, TermsThatNoDocumentCanHold) {
  EXPECT_EQ(EncodeTerm(FieldOf(mapping::FieldType::kLong), {"1.5", true}).value(), std::nullopt);
  EXPECT_EQ(EncodeTerm(FieldOf(mapping::FieldType::kLong), {"1.0", true}).value(), 1);
  EXPECT_EQ(EncodeTerm(FieldOf(mapping::FieldType::kShort), {"40000", true}).value(), std::nullopt);
  EXPECT_EQ(EncodeTerm(FieldOf(mapping::FieldType::kLong), {"9223372036854775808", true}).value(), std::nullopt);
  EXPECT_EQ(EncodeTerm(FieldOf(mapping::FieldType::kLong), {"x", false}).error().type(), "number_format_exception");
  for (const char* text : {"", "-", "1x", "0x10", "inf", "1 2"})
    EXPECT_FALSE(EncodeTerm(FieldOf(mapping::FieldType::kDouble), {text, false}).ok()) << text;
}

TEST(LiteralTest, FloatingPointKeepsItsWidth) {
  const auto encode = [](mapping::FieldType type, const char* text) {
    return *EncodeTerm(FieldOf(type), {text, true}).value();
  };
  EXPECT_EQ(encode(mapping::FieldType::kFloat, "0.1"), mapping::EncodeFloat(0.1f));
  EXPECT_EQ(encode(mapping::FieldType::kHalfFloat, "0.1"), mapping::EncodeFloat(0.0999755859375f));
  EXPECT_EQ(encode(mapping::FieldType::kHalfFloat, "65504"), mapping::EncodeFloat(65504.0f));
  EXPECT_EQ(encode(mapping::FieldType::kHalfFloat, "5.9604645E-8"), mapping::EncodeFloat(5.9604645E-8f));
  EXPECT_NE(encode(mapping::FieldType::kDouble, "-0"), encode(mapping::FieldType::kDouble, "0"));
  mapping::Field scaled = FieldOf(mapping::FieldType::kScaledFloat);
  scaled.scaling_factor = 100;
  EXPECT_EQ(EncodeTerm(scaled, {"1.236", true}).value(), 124);
  EXPECT_EQ(EncodeLowerBound(scaled, {"1.231", true}, true).value(), 124);
  EXPECT_EQ(EncodeUpperBound(scaled, {"1.239", true}, true).value(), 123);
}

TEST(LiteralTest, UnsignedLong) {
  const mapping::Field field = FieldOf(mapping::FieldType::kUnsignedLong);
  EXPECT_EQ(EncodeTerm(field, {"0", true}).value(), INT64_MIN);
  EXPECT_EQ(EncodeTerm(field, {"18446744073709551615", true}).value(), INT64_MAX);
  EXPECT_EQ(EncodeTerm(field, {"-1", true}).value(), std::nullopt);
  EXPECT_EQ(EncodeLowerBound(field, {"-1", true}, false).value(), INT64_MIN);
  EXPECT_EQ(EncodeUpperBound(field, {"-1", true}, true).value(), std::nullopt);
  EXPECT_EQ(EncodeUpperBound(field, {"99999999999999999999", true}, true).value(), INT64_MAX);
}

TEST(Bm25Test, MatchesElasticsearch) {
  EXPECT_EQ(Bm25(1, InverseDocumentFrequency(1, 1), {1, 3}).Score(1, segment::EncodeLength(3)), 0.2876821f);
  // Two of four documents have the term; five tokens in all.
  EXPECT_EQ(Bm25(1, InverseDocumentFrequency(2, 4), {4, 5}).Score(1, Bm25::kNoNorm), 0.7549127f);
}

TEST(Bm25Test, BoundsWhatImpactsDominate) {
  const Bm25 bm25(1, 1, {100, 1000});
  const segment::Impact impacts[] = {{1, 5}, {7, 40}};
  EXPECT_EQ(bm25.MaxScore(impacts), std::max(bm25.Score(1, 5), bm25.Score(7, 40)));
  EXPECT_LT(bm25.Score(1e9f, 1), bm25.limit() * 1.0001f);
  EXPECT_EQ(bm25.MaxScore({}), 0);
}

TEST(DocBitsTest, FindsMembers) {
  DocBits bits(200);
  for (const DocId doc : {0u, 63u, 64u, 199u}) bits.Set(doc);
  EXPECT_EQ(bits.NextFrom(0), 0u);
  EXPECT_EQ(bits.NextFrom(1), 63u);
  EXPECT_EQ(bits.NextFrom(65), 199u);
  EXPECT_EQ(bits.NextFrom(200), kNoMoreDocs);
  EXPECT_EQ(bits.NextFrom(kNoMoreDocs), kNoMoreDocs);
  EXPECT_EQ(bits.Count(), 4u);
}

TEST(SuggestTest, NamesWhatIsClose) {
  const std::string_view names[] = {"must", "mustNot", "must_not", "filter"};
  EXPECT_EQ(Suggest("mus", names), " did you mean [must]?");
  EXPECT_EQ(Suggest("mustx", names), " did you mean any of [must, mustNot]?");
  EXPECT_EQ(Suggest("zzz", names), "");
}

}  // namespace
}  // namespace tiercel::search
