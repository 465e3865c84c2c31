#include "tiercel/search/index_fixture.h"

#include "tiercel/segment/builder.h"

namespace tiercel::search {

IndexFixture::IndexFixture(std::string_view mapping_json) {
  const json::Document mapping = json::Document::Parse(mapping_json).value();
  target_.index = "test";
  target_.mapping = mapping::Mapping::Parse(mapping.root()).value();
}

void IndexFixture::AddSegment(const std::vector<std::string>& sources) {
  segment::SegmentBuilder builder;
  for (const std::string& source : sources) {
    const std::string id = std::to_string(next_id_);
    mapping::DocumentParser parser;
    mapping::ParseResult parsed = parser.Parse(target_.mapping, id, source).value();
    if (parsed.mapping_update_json) {
      const json::Document update = json::Document::Parse(*parsed.mapping_update_json).value();
      target_.mapping = target_.mapping->Merge(update.root()).value();
      parsed = parser.Parse(target_.mapping, id, source).value();
    }
    TIERCEL_CHECK(builder.Add(parsed.document, {.seq_no = next_id_}).ok());
    ++next_id_;
  }
  const std::string name = "segment-" + std::to_string(segments_.size());
  segment::MemoryUpload upload;
  TIERCEL_CHECK(builder.Finish(name, upload).ok());
  segments_.push_back({segment::Segment::Open(std::move(upload).IntoInput(name)).value(), nullptr});
  Publish();
}

void IndexFixture::Delete(std::string_view id) {
  for (segment::SegmentView& view : segments_) {
    const std::optional<DocId> doc = view.segment->FindId(id).value();
    if (!doc) continue;
    segment::LiveDocs live = view.live ? *view.live : segment::LiveDocs(view.segment->doc_count());
    live.Delete(*doc);
    view.live = std::make_shared<const segment::LiveDocs>(std::move(live));
  }
  Publish();
}

void IndexFixture::Publish() {
  auto snapshot = std::make_shared<segment::Snapshot>();
  snapshot->segments = segments_;
  target_.shards = {std::move(snapshot)};
}

QueryContext IndexFixture::context() const {
  QueryContext context;
  context.target = &target_;
  context.now_ms = 1'700'000'000'000;
  return context;
}

std::vector<IndexFixture::Hit> IndexFixture::Search(std::string_view query_json) const {
  const json::Document body = json::Document::Parse(query_json).value();
  const std::unique_ptr<Query> query = ParseQuery(body.root(), context()).value();
  std::vector<Hit> hits;
  for (const segment::SegmentView& view : segments_) {
    const std::unique_ptr<Scorer> scorer = query->MakeScorer(view, ScoreMode::kScores).value();
    if (!scorer) continue;
    for (DocId doc = scorer->Next(); doc != kNoMoreDocs; doc = scorer->Next()) {
      if (view.IsLive(doc)) hits.push_back({view.segment->Id(doc).value(), scorer->Score()});
    }
    TIERCEL_CHECK(scorer->status().ok());
  }
  return hits;
}

std::string IndexFixture::Refusal(std::string_view query_json) const {
  const json::Document body = json::Document::Parse(query_json).value();
  const auto query = ParseQuery(body.root(), context());
  if (query.ok()) return "accepted";
  std::string text;
  for (const Status* status = &query.error(); status != nullptr; status = status->cause()) {
    text += (text.empty() ? "" : " <- ") + std::string(status->type()) + ": " + status->message();
    if (status->attributes().size() >= 2 && status->attributes()[0].first == "line") {
      text += " [" + status->attributes()[0].second + ":" + status->attributes()[1].second + "]";
    }
  }
  return text;
}

}  // namespace tiercel::search
