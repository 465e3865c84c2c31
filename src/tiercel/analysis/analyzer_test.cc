#include "tiercel/analysis/analyzer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tiercel/base/random.h"

namespace tiercel::analysis {
namespace {

std::vector<std::string> Terms(std::string_view text, std::string_view analyzer = "standard") {
  TokenBuffer tokens;
  FindAnalyzer(analyzer)->Analyze(text, tokens);
  std::vector<std::string> terms;
  for (const Token& token : tokens.tokens) terms.emplace_back(tokens.term(token));
  return terms;
}

using Strings = std::vector<std::string>;

TEST(AnalyzerTest, StandardOnEverydayText) {
  EXPECT_EQ(
      Terms("don't e-mail C++ naïve 東京 Über 3.14 v2.0 foo_bar it's O'Neill"),
      (Strings{"don't", "e", "mail", "c", "naïve", "東", "京", "über", "3.14", "v2.0", "foo_bar", "it's", "o'neill"}));
  EXPECT_EQ(Terms(""), Strings{});
  EXPECT_EQ(Terms(" .,-!? "), Strings{});
}

TEST(AnalyzerTest, StandardJoiners) {
  EXPECT_EQ(Terms("a:b c;d 1,2 1;2 1.a a.1 _ __ _a_ a_1 1'2 a'' 'a'"),
            (Strings{"a:b", "c", "d", "1,2", "1;2", "1", "a", "a", "1", "_a_", "a_1", "1'2", "a", "a"}));
  EXPECT_EQ(Terms("שלום ש\"ח ש' x\"y"), (Strings{"שלום", "ש\"ח", "ש'", "x", "y"}));
  EXPECT_EQ(Terms("a\xc2\xad"
                  "b c’d 1٫2 · l·l"),
            (Strings{"a\xc2\xad"
                     "b",
                     "c’d", "1٫2", "l·l"}));
}

TEST(AnalyzerTest, StandardScripts) {
  EXPECT_EQ(Terms("ひらがな カタカナ ｶﾀｶﾅ カa aカ 한국어 hello한국"),
            (Strings{"ひ", "ら", "が", "な", "カタカナ", "ｶﾀｶﾅ", "カ", "a", "a", "カ", "한국어", "hello한국"}));
  EXPECT_EQ(Terms("ภาษาไทย ខ្មែរ"), (Strings{"ภาษาไทย", "ខ្មែរ"}));
  EXPECT_EQ(Terms("e\xcc\x81 \xcc\x81"
                  "a"),
            (Strings{"e\xcc\x81", "a"}));
  EXPECT_EQ(Terms("１２３ Ａ ² ½ Ⅷ ⓐ"), (Strings{"１２３", "ａ", "ⅷ", "ⓐ"}));
  EXPECT_EQ(Terms("İIıǅ ß ΑΣ"), (Strings{"iiıǆ", "ß", "ασ"}));
}

TEST(AnalyzerTest, StandardEmoji) {
  EXPECT_EQ(Terms("😀 👍🏽 👨‍👩‍👧 🇩🇪🇫🇷 🇩 1️⃣ #️⃣ # * © ©️ ☎ a😀b"),
            (Strings{"😀", "👍🏽", "👨‍👩‍👧", "🇩🇪", "🇫🇷", "1️⃣", "#️⃣", "©", "©️", "☎", "a", "😀", "b"}));
  EXPECT_EQ(
      Terms("👩🏽‍🚀 👍👍 🤷‍♂️ 🏳️‍🌈 🏴󠁧󠁢󠁥󠁮󠁧󠁿"),
      (Strings{"👩🏽‍🚀", "👍", "👍", "🤷‍♂️", "🏳️‍🌈", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"}));
}

TEST(AnalyzerTest, LongTokensAreCut) {
  const auto lengths = [](const Strings& terms) {
    std::vector<size_t> out;
    for (const std::string& term : terms) out.push_back(term.size());
    return out;
  };
  EXPECT_EQ(lengths(Terms(std::string(300, 'x'))), (std::vector<size_t>{255, 45}));
  EXPECT_EQ(lengths(Terms(std::string(254, 'a') + ".bcd")), (std::vector<size_t>{254, 3}));
  EXPECT_EQ(lengths(Terms(std::string(254, 'x') + "\xf0\x90\x90\x80z")), (std::vector<size_t>{254, 5}));
  EXPECT_EQ(lengths(Terms(std::string(600, 'y'), "whitespace")), (std::vector<size_t>{255, 255, 90}));
  EXPECT_EQ(lengths(Terms(std::string(600, 'y'), "keyword")), (std::vector<size_t>{600}));
  std::string emoji;
  for (int i = 0; i < 200; ++i) emoji += "😀";
  EXPECT_EQ(lengths(Terms(emoji, "whitespace")), (std::vector<size_t>{512, 288}));
}

TEST(AnalyzerTest, OtherAnalyzers) {
  const std::string text = "The quick B-2 naïve\xc2\xa0x  don't and 東京";
  EXPECT_EQ(Terms(text, "simple"), (Strings{"the", "quick", "b", "naïve", "x", "don", "t", "and", "東京"}));
  EXPECT_EQ(Terms(text, "whitespace"), (Strings{"The", "quick", "B-2", "naïve\xc2\xa0x", "don't", "and", "東京"}));
  EXPECT_EQ(Terms(text, "stop"), (Strings{"quick", "b", "naïve", "x", "don", "t", "東京"}));
  EXPECT_EQ(Terms(text, "keyword"), (Strings{text}));
  EXPECT_EQ(Terms("", "keyword"), Strings{});
  EXPECT_EQ(FindAnalyzer("nosuch"), nullptr);
}

TEST(AnalyzerTest, PositionsAndOffsets) {
  TokenBuffer tokens;
  FindAnalyzer("stop")->Analyze("the cat and", tokens);
  ASSERT_EQ(tokens.tokens.size(), 1u);
  EXPECT_EQ(tokens.tokens[0].position, 1u);
  EXPECT_EQ(tokens.tokens[0].start, 4u);
  EXPECT_EQ(tokens.tokens[0].end, 7u);
  EXPECT_EQ(tokens.position, 3u);  // the hole at the end counts
  tokens.position += 100;
  FindAnalyzer("standard")->Analyze("Über-x", tokens);
  ASSERT_EQ(tokens.tokens.size(), 3u);
  EXPECT_EQ(tokens.tokens[1].position, 103u);
  EXPECT_EQ(tokens.tokens[2].position, 104u);
  EXPECT_EQ(tokens.tokens[2].start, 6u);
  EXPECT_EQ(Utf16Length("Über"), 4u);
  EXPECT_EQ(Utf16Length("a😀東"), 4u);
}

// The run of plain ASCII is matched at once; a combining mark behind every character forces the general path instead,
// which must cut at the same places.
TEST(AnalyzerTest, FastPathEqualsGeneralPath) {
  Random random(3);
  constexpr std::string_view kCharacters = "aaabXYZ0129__..,,;:''\"  -#*é";
  for (int i = 0; i < 20000; ++i) {
    std::string plain, marked;
    for (uint64_t n = random.Below(24); n > 0; --n) {
      const char c = kCharacters[random.Below(kCharacters.size() - 2)];
      plain += c;
      marked += c;
      marked += "\xcc\x81";
    }
    Strings expected;
    for (std::string term : Terms(marked)) {
      std::string bare;
      for (size_t at = 0; at < term.size(); ++at) {
        if (static_cast<unsigned char>(term[at]) < 0x80) bare += term[at];
      }
      expected.push_back(bare);
    }
    ASSERT_EQ(Terms(plain), expected) << plain;
  }
}

TEST(AnalyzerTest, InvalidUtf8Separates) {
  EXPECT_EQ(Terms("a\xff"
                  "b \xe6\x9d"),
            (Strings{"a", "b"}));
  Random random(4);
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (uint64_t n = random.Below(40); n > 0; --n) text += static_cast<char>(random.Next());
    TokenBuffer tokens;
    FindAnalyzer("standard")->Analyze(text, tokens);
    for (const Token& token : tokens.tokens) {
      ASSERT_LT(token.start, token.end);
      ASSERT_LE(token.end, text.size());
    }
  }
}

}  // namespace
}  // namespace tiercel::analysis
