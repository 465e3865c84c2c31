#include <gtest/gtest.h>

#include <cstring>

#include "tiercel/mapping/mapping.h"

namespace tiercel::mapping {
namespace {

// A document parsed as an index would: updates merged, until the mapping has every field.
class DocumentParserTest : public testing::Test {
 protected:
  void Map(std::string_view json) {
    const json::Document update = json::Document::Parse(json).value();
    auto merged = mapping_->Merge(update.root());
    ASSERT_TRUE(merged.ok()) << merged.status().ToString();
    mapping_ = *merged;
  }
  Result<ParsedDocument> Parse(std::string source) {
    for (;;) {
      TIERCEL_TRY_ASSIGN(ParseResult result, parser_.Parse(mapping_, "1", source));
      if (!result.mapping_update_json) return std::move(result.document);
      const json::Document update = json::Document::Parse(*result.mapping_update_json).value();
      TIERCEL_TRY_ASSIGN(mapping_, mapping_->Merge(update.root()));
    }
  }
  ParsedDocument MustParse(std::string source) {
    auto document = Parse(std::move(source));
    EXPECT_TRUE(document.ok()) << document.status().ToString();
    return document.ok() ? std::move(document).value() : ParsedDocument();
  }
  std::string Refusal(std::string source) {
    const auto document = Parse(std::move(source));
    if (document.ok()) return "accepted";
    std::string out;
    for (const Status* status = &document.error(); status != nullptr; status = status->cause()) {
      out += (out.empty() ? "" : " <- ") + std::string(status->type()) + ": " + status->message();
    }
    return out;
  }
  std::vector<std::string> Keywords(const ParsedDocument& document, std::string_view field) {
    std::vector<std::string> out;
    for (const KeywordValue& value : document.keywords) {
      if (mapping_->field(value.field).name == field) out.emplace_back(document.Term(value.offset, value.length));
    }
    return out;
  }
  std::vector<int64_t> Numbers(const ParsedDocument& document, std::string_view field) {
    std::vector<int64_t> out;
    for (const NumericValue& value : document.numerics) {
      if (mapping_->field(value.field).name == field) out.push_back(value.encoded);
    }
    return out;
  }

  std::shared_ptr<const Mapping> mapping_ = Mapping::Empty();
  DocumentParser parser_;
};

TEST_F(DocumentParserTest, DynamicMapping) {
  MustParse(
      R"({"a":1,"s":"x","d":"2020-01-02","e":"2020/01/02","o":{"p":1.5},"n":null,"l":[],"b":true,"x.y":[null,"z"]})");
  EXPECT_EQ(
      mapping_->ToJson(),
      R"({"properties":{"a":{"type":"long"},"b":{"type":"boolean"},"d":{"type":"date"},)"
      R"("e":{"type":"date","format":"yyyy/MM/dd HH:mm:ss||yyyy/MM/dd||epoch_millis","locale":""},"o":{"properties":{"p":{"type":"float"}}},)"
      R"("s":{"type":"text","fields":{"keyword":{"type":"keyword","ignore_above":256}}},)"
      R"("x":{"properties":{"y":{"type":"text","fields":{"keyword":{"type":"keyword","ignore_above":256}}}}}}})");
}

TEST_F(DocumentParserTest, ValuesOfOneFieldAreJoinedWithAGap) {
  Map(R"({"properties":{"t":{"type":"text"},"o":{"properties":{"t":{"type":"text"}}}}})");
  const ParsedDocument document = MustParse(R"({"o":[{"t":"A b"},{"t":"c"}],"t":"first","x":1})");
  ASSERT_EQ(document.texts.size(), 2u);
  for (const TextValue& text : document.texts) {
    if (mapping_->field(text.field).name != "o.t") continue;
    ASSERT_EQ(text.token_count, 3u);
    const TextToken& last = document.tokens[text.first_token + 2];
    EXPECT_EQ(document.Term(last.offset, last.length), "c");
    EXPECT_EQ(last.position, 102u);
  }
}

TEST_F(DocumentParserTest, MultiFieldsAndIgnoreAbove) {
  Map(R"({"properties":{"t":{"type":"text","fields":{"raw":{"type":"keyword","ignore_above":3}}}}})");
  const ParsedDocument document = MustParse(R"({"t":["abc","東京都","abcd",5]})");
  EXPECT_EQ(Keywords(document, "t.raw"), (std::vector<std::string>{"abc", "東京都", "5"}));
  EXPECT_EQ(document.ignored, (std::vector<std::string>{"t.raw"}));
}

TEST_F(DocumentParserTest, NestedValuesAreCheckedButNotEmitted) {
  Map(R"({"properties":{"n":{"type":"nested","properties":{"x":{"type":"long"}}}}})");
  EXPECT_TRUE(MustParse(R"({"n":[{"x":1},{"x":2}]})").numerics.empty());
  EXPECT_EQ(Refusal(R"({"n":{"x":"abc"}})"),
            "document_parsing_exception: [1:11] failed to parse field [n.x] of type [long] in document with id '1'. "
            "Preview of field's value: "
            "'abc' <- illegal_argument_exception: For input string: \"abc\"");
}

TEST_F(DocumentParserTest, VectorsKnowWhereTheyStand) {
  Map(R"({"properties":{"v":{"type":"dense_vector","dims":3},"w":{"type":"dense_vector","dims":3}}})");
  const std::string source = R"({"w":"PczMzT5MzM0+mZma","v":[1, 0.5,-2]})";
  const ParsedDocument document = MustParse(source);
  ASSERT_EQ(document.vectors.size(), 2u);
  const VectorValue& base64 = document.vectors[0];
  EXPECT_EQ(base64.source_length, 0u);
  float values[3];
  std::memcpy(values, document.vector_bytes.data() + base64.offset, sizeof values);
  EXPECT_EQ(values[0], 0.1f);
  EXPECT_EQ(values[2], 0.3f);
  const VectorValue& array = document.vectors[1];
  EXPECT_EQ(source.substr(array.source_offset, array.source_length), "[1, 0.5,-2]");
  EXPECT_EQ(array.length, 12u);
}

TEST_F(DocumentParserTest, FirstVectorSettlesDimensions) {
  Map(R"({"properties":{"o":{"properties":{"v":{"type":"dense_vector","similarity":"l2_norm"}}}}})");
  MustParse(R"({"o":{"v":[1,2,3,4]}})");
  EXPECT_EQ(mapping_->Find("o.v")->vector.dims, 4u);
  EXPECT_EQ(mapping_->Find("o.v")->vector.similarity, Similarity::kL2Norm);
  EXPECT_EQ(Refusal(R"({"o":{"v":[1,2,3]}})"),
            "document_parsing_exception: [1:17] failed to parse: The [dense_vector] field [o.v] in doc [document with "
            "id '1'] has a different "
            "number of dimensions [3] than defined in the mapping [4] <- illegal_argument_exception: The "
            "[dense_vector] field [o.v] in doc "
            "[document with id '1'] has a different number of dimensions [3] than defined in the mapping [4]");
}

TEST_F(DocumentParserTest, StrictAndFalse) {
  Map(R"({"dynamic":"strict","properties":{"o":{"type":"object","dynamic":"false"}}})");
  EXPECT_EQ(Refusal(R"({"unknown_field": 1})"),
            "strict_dynamic_mapping_exception: [1:19] mapping set to strict, dynamic introduction of [unknown_field] "
            "within [_doc] is not allowed");
  EXPECT_TRUE(MustParse(R"({"o":{"new":1}})").numerics.empty());
  EXPECT_EQ(mapping_->Find("o.new"), nullptr);
}

TEST_F(DocumentParserTest, DynamicTemplates) {
  Map(R"({"dynamic_templates":[{"s":{"match_mapping_type":"string","mapping":{"type":"keyword","ignore_above":64}}},
      {"n":{"path_match":"m.*","match":"x*","mapping":{"type":"{dynamic_type}","meta":{"of":"{name}"}}}}]})");
  MustParse(R"({"a":"b","m":{"x1":5}})");
  EXPECT_EQ(mapping_->Find("a")->type, FieldType::kKeyword);
  EXPECT_NE(mapping_->ToJson().find(R"("x1":{"type":"long","meta":{"of":"x1"}})"), std::string::npos)
      << mapping_->ToJson();
}

TEST_F(DocumentParserTest, MixedArraysConflict) {
  EXPECT_EQ(Refusal(R"({"o":{"p":[1.5,2]}})"),
            "illegal_argument_exception: mapper [o.p] cannot be changed from type [float] to [long]");
  EXPECT_EQ(Refusal(R"({"m":[1,{"a":1}]})"),
            "illegal_argument_exception: mapper [m] cannot be changed from type [long] to [ObjectMapper]");
  EXPECT_EQ(Refusal(R"({"m":[{"a":1},1]})"),
            "illegal_argument_exception: can't merge a non object mapping [m] with an object mapping");
}

TEST_F(DocumentParserTest, LongFloatArraysBecomeVectors) {
  std::string values = "0.5";
  for (int i = 1; i < 128; ++i) values += ",0.5";
  MustParse("{\"v\":[" + values + "],\"short\":[0.5,0.5]}");
  EXPECT_EQ(mapping_->Find("v")->type, FieldType::kDenseVector);
  EXPECT_EQ(mapping_->Find("v")->vector.dims, 128u);
  EXPECT_EQ(mapping_->Find("short")->type, FieldType::kFloat);
}

TEST_F(DocumentParserTest, IgnoreMalformedNullValueCopyTo) {
  Map(R"({"properties":{"a":{"type":"long","ignore_malformed":true},"b":{"type":"long","null_value":7},"k":{"type":"keyword","copy_to":["all","new"]},
      "all":{"type":"keyword"}}})");
  const ParsedDocument document = MustParse(R"({"a":"x","b":[null,1],"k":"v"})");
  EXPECT_EQ(document.ignored, (std::vector<std::string>{"a"}));
  EXPECT_EQ(Numbers(document, "b"), (std::vector<int64_t>{7, 1}));
  EXPECT_EQ(Keywords(document, "all"), (std::vector<std::string>{"v"}));
  EXPECT_EQ(Keywords(document, "new.keyword"), (std::vector<std::string>{"v"}));
}

}  // namespace
}  // namespace tiercel::mapping
