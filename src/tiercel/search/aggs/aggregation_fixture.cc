#include "tiercel/search/aggs/aggregation_fixture.h"

#include <algorithm>
#include <cmath>

#include "tiercel/search/aggregation.h"

namespace tiercel::search::aggs {
namespace {

std::string Difference(const std::string& path, json::Value expected, json::Value actual) {
  const auto differ = [&] {
    return path + ": expected " + std::string(expected.raw()) + ", got " + std::string(actual.raw());
  };
  if (expected.is_number() && actual.is_number()) {
    const double a = expected.as_double(), b = actual.as_double();
    return std::fabs(a - b) <= 1e-9 * std::max(std::fabs(a), std::fabs(b)) ? "" : differ();
  }
  if (expected.type() != actual.type() || expected.size() != actual.size()) return differ();
  if (expected.is_object()) {
    for (const auto [key, value] : expected.members()) {
      const json::Value other = actual[key];
      if (!other.exists()) return path + ": no member " + std::string(key) + " in " + std::string(actual.raw());
      if (std::string found = Difference(path + "/" + std::string(key), value, other); !found.empty()) return found;
    }
    return "";
  }
  if (expected.is_array()) {
    auto other = actual.elements().begin();
    size_t i = 0;
    for (const json::Value value : expected.elements()) {
      if (std::string found = Difference(path + "/" + std::to_string(i++), value, *other); !found.empty()) return found;
      ++other;
    }
    return "";
  }
  return expected.raw() == actual.raw() || expected.ToDisplayString() == actual.ToDisplayString() ? "" : differ();
}

}  // namespace

Result<std::string> Aggregate(const IndexFixture& index, std::string_view aggs_json, const AggregateOptions& options) {
  // Inside a request, so that positions in messages are those of a request.
  TIERCEL_TRY_ASSIGN(const json::Document parsed,
                     json::Document::ParseOwned("{\"aggs\": " + std::string(aggs_json) + "}"));
  TIERCEL_TRY_ASSIGN(const auto set, AggregationSet::Parse(parsed.root()["aggs"]));
  SearchEnvironment environment;
  environment.budget = options.budget;
  TIERCEL_TRY(set->Validate(index.target(), environment));
  std::vector<std::unique_ptr<AggregationPartial>> partials;
  for (const segment::SegmentView& view : index.segments()) {
    TIERCEL_TRY_ASSIGN(auto collector, set->NewCollector(index.target(), view, environment));
    std::vector<DocId> batch;
    for (DocId doc = 0; doc < view.segment->doc_count(); ++doc) {
      if (!view.IsLive(doc) || (options.matches && !options.matches(view, doc))) continue;
      batch.push_back(doc);
      if (batch.size() < options.batch_docs) continue;
      TIERCEL_TRY(collector->Collect(batch));
      batch.clear();
    }
    TIERCEL_TRY(collector->Collect(batch));
    TIERCEL_TRY_ASSIGN(auto partial, collector->Finish());
    partials.push_back(std::move(partial));
  }
  std::string out;
  json::Writer writer(out);
  TIERCEL_TRY(set->Reduce(std::move(partials), *index.target().mapping, options.typed_keys, environment, writer));
  return out;
}

std::string AggregateRefusal(const IndexFixture& index, std::string_view aggs_json) {
  const auto result = Aggregate(index, aggs_json);
  if (result.ok()) return "accepted";
  std::string text;
  for (const Status* status = &result.error(); status != nullptr; status = status->cause()) {
    text += (text.empty() ? "" : " <- ") + std::string(status->type()) + ": " + status->message();
  }
  return text;
}

std::string JsonDifference(std::string_view expected, std::string_view actual) {
  const auto left = json::Document::Parse(expected), right = json::Document::Parse(actual);
  if (!left.ok() || !right.ok()) return "not JSON: " + std::string(left.ok() ? actual : expected);
  return Difference("", left->root(), right->root());
}

}  // namespace tiercel::search::aggs
