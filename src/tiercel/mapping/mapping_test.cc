#include "tiercel/mapping/mapping.h"

#include <gtest/gtest.h>

namespace tiercel::mapping {
namespace {

std::shared_ptr<const Mapping> MustMerge(const std::shared_ptr<const Mapping>& mapping, std::string_view json) {
  const json::Document update = json::Document::Parse(json).value();
  auto merged = mapping->Merge(update.root());
  EXPECT_TRUE(merged.ok()) << json << ": " << merged.status().ToString();
  return merged.ok() ? *merged : mapping;
}
std::shared_ptr<const Mapping> MustParse(std::string_view json) { return MustMerge(Mapping::Empty(), json); }

// What a refused update is answered with: "type: reason <- type: reason".
std::string Refusal(const std::shared_ptr<const Mapping>& mapping, std::string_view json) {
  const json::Document update = json::Document::Parse(json).value();
  const auto merged = mapping->Merge(update.root());
  if (merged.ok()) return "accepted";
  std::string out;
  for (const Status* status = &merged.error(); status != nullptr; status = status->cause()) {
    out += (out.empty() ? "" : " <- ") + std::string(status->type()) + ": " + status->message();
  }
  return out;
}

TEST(MappingTest, EmptyMappingWritesAnEmptyObject) { EXPECT_EQ(Mapping::Empty()->ToJson(), "{}"); }

TEST(MappingTest, EchoHidesDefaultsAndSortsChildren) {
  const auto mapping = MustParse(
      R"({"properties":{"t":{"type":"text","index":true,"fields":{"raw":{"type":"keyword","ignore_above":24}}},
      "a":{"type":"long","coerce":"false"},"o.p":{"type":"float"},"d":{"type":"date","format":"yyyy"},"e":{"type":"object"},
      "n":{"type":"nested","properties":{"x":{"type":"byte"}}},"c":{"type":"keyword","copy_to":"t"}}})");
  EXPECT_EQ(
      mapping->ToJson(),
      R"({"properties":{"a":{"type":"long","coerce":false},"c":{"type":"keyword","copy_to":["t"]},"d":{"type":"date","format":"yyyy"},)"
      R"("e":{"type":"object"},"n":{"type":"nested","properties":{"x":{"type":"byte"}}},"o":{"properties":{"p":{"type":"float"}}},)"
      R"("t":{"type":"text","fields":{"raw":{"type":"keyword","ignore_above":24}}}}})");
}

TEST(MappingTest, FindAndExpand) {
  const auto mapping =
      MustParse(R"({"properties":{"title":{"type":"text","fields":{"raw":{"type":"keyword"}}},"tag":{"type":"keyword"},
      "n":{"type":"nested","properties":{"tag":{"type":"keyword"}}}}})");
  ASSERT_NE(mapping->Find("title.raw"), nullptr);
  EXPECT_TRUE(mapping->Find("title.raw")->multi_field);
  EXPECT_TRUE(mapping->Find("n.tag")->inside_nested);
  EXPECT_FALSE(mapping->Find("n")->is_leaf());
  EXPECT_EQ(mapping->Find("nosuch"), nullptr);
  std::vector<std::string> names;
  for (const Field* field : mapping->Expand("t*")) names.push_back(field->name);
  EXPECT_EQ(names, (std::vector<std::string>{"tag", "title", "title.raw"}));
  EXPECT_EQ(mapping->Expand("title").size(), 1u);
  EXPECT_TRUE(mapping->Expand("n").empty());
}

TEST(MappingTest, FieldIdsAreKept) {
  const auto first = MustParse(R"({"properties":{"m":{"type":"long"}}})");
  const auto second = MustMerge(first, R"({"properties":{"a":{"type":"long"},"z":{"type":"long"}}})");
  EXPECT_EQ(second->Find("m")->id, first->Find("m")->id);
  EXPECT_EQ(second->size(), 3u);
  for (FieldId id = 0; id < second->size(); ++id) EXPECT_EQ(second->field(id).id, id);
}

TEST(MappingTest, VectorDefaults) {
  const auto mapping = MustParse(
      R"({"properties":{"a":{"type":"dense_vector"},"b":{"type":"dense_vector","dims":10,"similarity":"dot_product"},
      "c":{"type":"dense_vector","dims":384},"d":{"type":"dense_vector","dims":3,"index":false},
      "e":{"type":"dense_vector","dims":64,"element_type":"bit"},"f":{"type":"dense_vector","dims":4,"index_options":{"type":"hnsw"}}}})");
  EXPECT_EQ(
      mapping->ToJson(),
      R"({"properties":{"a":{"type":"dense_vector","index":true,"similarity":"cosine"},)"
      R"("b":{"type":"dense_vector","dims":10,"index":true,"similarity":"dot_product","index_options":{"type":"int8_hnsw","m":16,"ef_construction":100}},)"
      R"("c":{"type":"dense_vector","dims":384,"index":true,"similarity":"cosine","index_options":{"type":"bbq_hnsw","m":16,"ef_construction":100,"rescore_vector":{"oversample":3.0}}},)"
      R"("d":{"type":"dense_vector","dims":3,"index":false},)"
      R"("e":{"type":"dense_vector","element_type":"bit","dims":64,"index":true,"similarity":"l2_norm"},)"
      R"("f":{"type":"dense_vector","dims":4,"index":true,"similarity":"cosine","index_options":{"type":"hnsw","m":16,"ef_construction":100}}}})");
  EXPECT_EQ(mapping->Find("e")->vector.bytes(), 8u);
}

TEST(MappingTest, Conflicts) {
  const auto mapping = MustParse(
      R"({"properties":{"a":{"type":"long"},"o":{"properties":{"p":{"type":"float"}}},"t":{"type":"text"},"n":{"type":"nested"}}})");
  EXPECT_EQ(Refusal(mapping, R"({"properties":{"a":{"type":"keyword"}}})"),
            "illegal_argument_exception: mapper [a] cannot be changed from type [long] to [keyword]");
  EXPECT_EQ(Refusal(mapping, R"({"properties":{"a":{"type":"long","doc_values":false,"index":false}}})"),
            "illegal_argument_exception: Mapper for [a] conflicts with existing mapper:\n\tCannot update parameter "
            "[index] from [true] to [false]"
            "\n\tCannot update parameter [doc_values] from [true] to [false]");
  EXPECT_EQ(Refusal(mapping, R"({"properties":{"o":{"type":"long"}}})"),
            "illegal_argument_exception: can't merge a non object mapping [o] with an object mapping");
  EXPECT_EQ(Refusal(mapping, R"({"properties":{"o":{"type":"nested"}}})"),
            "illegal_argument_exception: can't merge a non-nested mapping [o] with a nested mapping");
  EXPECT_EQ(Refusal(mapping, R"({"properties":{"a":{"type":"long","coerce":false}}})"), "accepted");
  EXPECT_EQ(Refusal(mapping, R"({"properties":{"t":{"type":"text","norms":false}}})"), "accepted");
}

TEST(MappingTest, Refusals) {
  const auto mapping = Mapping::Empty();
  const auto wrapped = [](const std::string& type, const std::string& reason) {
    return "mapper_parsing_exception: Failed to parse mapping: " + reason + " <- " + type + ": " + reason;
  };
  EXPECT_EQ(Refusal(mapping, R"({"properties":{"k":{"type":"keyword","nosuch":1}}})"),
            wrapped("mapper_parsing_exception", "unknown parameter [nosuch] on mapper [k] of type [keyword]"));
  EXPECT_EQ(Refusal(mapping, R"({"nosuch":{}})"),
            wrapped("mapper_parsing_exception", "Root mapping definition has unsupported parameters:  [nosuch : {}]"));
  EXPECT_EQ(
      Refusal(mapping, R"({"properties":{"v":{"type":"dense_vector","dims":5000}}})"),
      wrapped("mapper_parsing_exception", "The number of dimensions should be in the range [1, 4096] but was [5000]"));
  EXPECT_EQ(Refusal(mapping, R"({"properties":{"k":{}}})"),
            wrapped("mapper_parsing_exception", "No type specified for field [k]"));
  EXPECT_EQ(Refusal(mapping, R"({"properties":{"k":{"type":"text","analyzer":"nosuch"}}})"),
            wrapped("illegal_argument_exception", "analyzer [nosuch] has not been configured in mappings"));
}

TEST(MappingTest, Limits) {
  std::string wide = R"({"properties":{"f0":{"type":"long"})";
  for (int i = 1; i <= 10; ++i) wide += ",\"f" + std::to_string(i) + "\":{\"type\":\"long\"}";
  const json::Document update = json::Document::ParseOwned(wide + "}}").value();
  MappingLimits limits;
  limits.total_fields_max = 10;
  EXPECT_FALSE(Mapping::Parse(update.root(), limits).ok());
  limits.total_fields_max = 11;
  EXPECT_TRUE(Mapping::Parse(update.root(), limits).ok());
}

}  // namespace
}  // namespace tiercel::mapping
