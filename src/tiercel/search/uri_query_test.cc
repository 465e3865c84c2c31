#include <gtest/gtest.h>

#include "tiercel/search/index_fixture.h"

namespace tiercel::search {
namespace {

// Ids of the documents that match, in order.
std::string Ids(const IndexFixture& index, std::string_view q, std::string_view default_operator = "",
                std::string_view default_field = "") {
  const auto query = ParseUriQuery(q, default_operator, default_field, index.context());
  if (!query.ok()) return query.error().ToString();
  std::string ids;
  for (const segment::SegmentView& view : index.segments()) {
    const std::unique_ptr<Scorer> scorer = (*query)->MakeScorer(view, ScoreMode::kNoScores).value();
    if (!scorer) continue;
    for (DocId doc = scorer->Next(); doc != kNoMoreDocs; doc = scorer->Next()) ids += view.segment->Id(doc).value();
  }
  return ids;
}

TEST(UriQueryTest, Terms) {
  const IndexFixture index = SmallIndex(1);
  EXPECT_EQ(Ids(index, "alpha"), "013");
  EXPECT_EQ(Ids(index, "title:delta"), "2");
  EXPECT_EQ(Ids(index, "title:alpha title:delta"), "0123");
  EXPECT_EQ(Ids(index, "title:(alpha OR delta)"), "0123");
  EXPECT_EQ(Ids(index, "alpha delta", "AND"), "1");
  EXPECT_EQ(Ids(index, "alpha charlie", "and", "title"), "03");
  EXPECT_EQ(Ids(index, "delta", "", "title"), "2");
  EXPECT_EQ(Ids(index, "count:7"), "0");
  EXPECT_EQ(Ids(index, "nosuch:7"), "");
  EXPECT_EQ(Ids(index, "tag:a,b"), "3");
  EXPECT_EQ(Ids(index, "_id:2"), "2");
}

TEST(UriQueryTest, Operators) {
  const IndexFixture index = SmallIndex(1);
  EXPECT_EQ(Ids(index, "title:alpha AND title:charlie"), "03");
  EXPECT_EQ(Ids(index, "title:alpha && NOT title:charlie"), "1");
  EXPECT_EQ(Ids(index, "+title:alpha -title:charlie"), "1");
  EXPECT_EQ(Ids(index, "title:alpha !title:charlie"), "1");
  EXPECT_EQ(Ids(index, "-title:alpha"), "2");
  EXPECT_EQ(Ids(index, "title:(alpha AND charlie) OR title:delta"), "023");
}

TEST(UriQueryTest, PhrasesPatternsAndRanges) {
  const IndexFixture index = SmallIndex(1);
  EXPECT_EQ(Ids(index, "title:\"alpha bravo\""), "0");
  EXPECT_EQ(Ids(index, "title:\"alpha bravo\"~2"), "013");
  EXPECT_EQ(Ids(index, "title:AL*"), "013");
  EXPECT_EQ(Ids(index, "tag:bl?e"), "0");
  EXPECT_EQ(Ids(index, "count:[1 TO 7]"), "01");
  EXPECT_EQ(Ids(index, "count:{1 TO 7}"), "");
  EXPECT_EQ(Ids(index, "count:>5"), "01");
  EXPECT_EQ(Ids(index, "count:<=-5"), "2");
  EXPECT_EQ(Ids(index, "when:[2011 TO *]"), "13");
  EXPECT_EQ(Ids(index, "_exists_:price"), "01");
  EXPECT_EQ(Ids(index, "_exists_:obj"), "01");
  EXPECT_EQ(Ids(index, "price:*"), "01");
  EXPECT_EQ(Ids(index, "*"), "0123");
  EXPECT_EQ(Ids(index, "*:*"), "0123");
}

TEST(UriQueryTest, RefusesMalformedText) {
  const IndexFixture index = SmallIndex(1);
  for (const char* q : {"(alpha", "alpha)", "\"alpha", "AND alpha", "count:[1 TO", "count:[1 5]", "title:", "alpha^x",
                        "alpha\\", "alp~", "/re/"}) {
    const auto query = ParseUriQuery(q, "", "", index.context());
    ASSERT_FALSE(query.ok()) << q;
    EXPECT_EQ(query.error().type(), "query_shard_exception") << q;
    EXPECT_EQ(query.error().message(), std::string("Failed to parse query [") + q + "]");
  }
  EXPECT_EQ(Ids(index, "count:abc"), "");
  EXPECT_EQ(Ids(index, "abc"), "");  // what does not fit a field's type matches nothing
  EXPECT_FALSE(ParseUriQuery(std::string(1000, '('), "", "", index.context()).ok());
  EXPECT_FALSE(ParseUriQuery("a", "xor", "", index.context()).ok());
}

}  // namespace
}  // namespace tiercel::search
