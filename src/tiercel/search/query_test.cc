#include <gtest/gtest.h>

#include "tiercel/search/index_fixture.h"

namespace tiercel::search {
namespace {

constexpr std::string_view kMapping = R"({"properties":{"id":{"type":"long"},
  "title":{"type":"text","fields":{"raw":{"type":"keyword","ignore_above":24}}},"body":{"type":"text"},"tag":{"type":"keyword"},
  "count":{"type":"long"},"int":{"type":"integer"},"price":{"type":"double"},"when":{"type":"date"},"flag":{"type":"boolean"},
  "addr":{"type":"ip"},"obj":{"properties":{"kind":{"type":"keyword"},"size":{"type":"integer"}}},
  "items":{"type":"nested","properties":{"name":{"type":"keyword"}}}}})";

TEST(QueryTest, Placeholder) {
  IndexFixture index(kMapping);
  index.AddSegment({R"({"title":"alpha"})"});
  const auto hits = index.Search(R"({"match":{"title":"alpha"}})");
  ASSERT_EQ(hits.size(), 1u);
  EXPECT_EQ(hits[0].score, 0.2876821f);
}

}  // namespace
}  // namespace tiercel::search
