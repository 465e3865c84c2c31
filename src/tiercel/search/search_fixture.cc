#include "tiercel/search/search_fixture.h"

#include <gtest/gtest.h>

#include "tiercel/search/request.h"

namespace tiercel::search {

TestIndex::TestIndex(std::string_view properties, std::string name) : name_(std::move(name)) {
  const std::string text = R"({"properties":)" + std::string(properties) + "}";
  const Result<json::Document> document = json::Document::Parse(text);
  EXPECT_TRUE(document.ok()) << text;
  Result<std::shared_ptr<const mapping::Mapping>> mapping = mapping::Mapping::Parse(document->root());
  EXPECT_TRUE(mapping.ok()) << mapping.status().ToString();
  mapping_ = std::move(mapping).value();
}

void TestIndex::AddSegment(const std::vector<std::pair<std::string, std::string>>& id_and_source) {
  segment::SegmentBuilder builder;
  const mapping::DocumentParser parser;
  for (const auto& [id, source] : id_and_source) {
    Result<mapping::ParseResult> parsed = parser.Parse(mapping_, id, source);
    ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
    ASSERT_FALSE(parsed->mapping_update_json.has_value()) << *parsed->mapping_update_json;
    const Result<segment::DocId> added =
        builder.Add(parsed->document, {.seq_no = seq_no_++, .primary_term = 1, .version = 1});
    ASSERT_TRUE(added.ok()) << added.status().ToString();
  }
  segment::MemoryUpload upload;
  const std::string name = "segment-" + std::to_string(seq_no_);
  ASSERT_TRUE(builder.Finish(name, upload).ok());
  Result<std::shared_ptr<const segment::Segment>> opened = segment::Segment::Open(std::move(upload).IntoInput(name));
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  shards_.back().push_back({.segment = std::move(opened).value(), .live = nullptr});
}

void TestIndex::Delete(const std::string& id) {
  for (std::vector<segment::SegmentView>& shard : shards_) {
    for (segment::SegmentView& view : shard) {
      const Result<std::optional<segment::DocId>> doc = view.segment->FindId(id);
      ASSERT_TRUE(doc.ok());
      if (!doc->has_value()) continue;
      auto live = view.live ? std::make_shared<segment::LiveDocs>(*view.live)
                            : std::make_shared<segment::LiveDocs>(view.segment->doc_count());
      live->Delete(**doc);
      view.live = std::move(live);
    }
  }
}

SearchTarget TestIndex::Target() const {
  SearchTarget target{.index = name_, .mapping = mapping_, .shards = {}, .alias_filter_json = std::nullopt};
  for (const std::vector<segment::SegmentView>& shard : shards_) {
    target.shards.push_back(std::make_shared<segment::Snapshot>(segment::Snapshot{.segments = shard, .pin = nullptr}));
  }
  return target;
}

Result<std::string> Searcher::Run(std::string_view body, const UrlParameters& url) const {
  TIERCEL_TRY_ASSIGN(const json::Document document, json::Document::Parse(body, {.refuse_duplicate_keys = true}));
  TIERCEL_TRY_ASSIGN(const auto request, ParseSearchRequest(document.root(), url));
  const SearchEnvironment environment{
      .pool = &pool_, .budget = &budget_, .clock = &clock_, .cancellation = cancellation};
  TIERCEL_TRY_ASSIGN(SearchOutcome outcome, Execute(*request, targets_, environment));
  return std::move(outcome.json);
}

std::string Searcher::Hits(std::string_view body, const UrlParameters& url) const {
  const Result<std::string> response = Run(body, url);
  EXPECT_TRUE(response.ok()) << response.status().ToString();
  if (!response.ok()) return "";
  const Result<json::Document> document = json::Document::Parse(*response);
  EXPECT_TRUE(document.ok()) << *response;
  return document.ok() ? std::string(document->root()["hits"].raw()) : "";
}

std::string Searcher::Ids(std::string_view body, bool scores) const {
  const std::string hits = Hits(body);
  const Result<json::Document> document = json::Document::Parse(hits);
  if (!document.ok()) return "";
  std::string ids;
  for (const json::Value hit : document->root()["hits"].elements()) {
    ids += (ids.empty() ? "" : " ") + std::string(hit["_id"].as_string());
    if (scores) ids += ":" + std::string(hit["_score"].raw());
  }
  return ids;
}

std::string Searcher::Error(std::string_view body, const UrlParameters& url) const {
  const Result<std::string> response = Run(body, url);
  if (response.ok()) return "";
  const Status status = response.status();
  std::string text;
  for (const Status* at = &status; at != nullptr; at = at->cause()) {
    text += (text.empty() ? "" : " <- ") + std::string(at->type()) + ": " + at->message();
  }
  return text;
}

}  // namespace tiercel::search
