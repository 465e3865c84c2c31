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
  const json::Document body = json::Document::ParseOwned("{\"query\": " + std::string(query_json) + "}").value();
  const auto query = ParseQuery(body.root()["query"], context());
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

IndexFixture SmallIndex(size_t segments) {
  IndexFixture index(
      R"({"properties":{"id":{"type":"long"},"title":{"type":"text","fields":{"raw":{"type":"keyword","ignore_above":24}}},
          "body":{"type":"text"},"tag":{"type":"keyword"},"count":{"type":"long"},"int":{"type":"integer"},"price":{"type":"double"},
          "when":{"type":"date"},"flag":{"type":"boolean"},"addr":{"type":"ip"},
          "obj":{"properties":{"kind":{"type":"keyword"},"size":{"type":"integer"}}},
          "items":{"type":"nested","properties":{"name":{"type":"keyword"}}},
          "vec":{"type":"dense_vector","dims":2,"index_options":{"type":"flat"}}}})");
  const std::vector<std::string> sources = {
      R"({"id":1,"title":"alpha bravo charlie","body":"alpha alpha bravo","tag":["red","blue"],"count":7,"price":0.5,
          "when":"2010-03-04","flag":true,"addr":"10.0.0.1","obj":{"kind":"a","size":3}})",
      R"({"id":2,"title":"bravo alpha","body":"alpha charlie delta bravo echo alpha bravo","tag":"Blue","count":[1,20],"price":2,
          "when":"2012-06-15","flag":false,"addr":"2001:db8::1","obj":{"kind":"b"}})",
      R"({"id":3,"title":"delta","tag":"red","count":-5,"flag":true,"vec":[1,2],"items":[{"name":"x"}]})",
      R"({"id":4,"title":"alpha x y z bravo alpha charlie bravo","tag":"a,b","when":"2012-06-15T10:00:00Z"})",
  };
  const size_t each = sources.size() / segments;
  for (size_t first = 0; first < sources.size(); first += each) {
    index.AddSegment(
        {sources.begin() + static_cast<ptrdiff_t>(first), sources.begin() + static_cast<ptrdiff_t>(first + each)});
  }
  return index;
}

}  // namespace tiercel::search
