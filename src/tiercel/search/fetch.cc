#include "tiercel/search/fetch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tiercel/search/fielddata_error.h"
#include "tiercel/search/request_error.h"

namespace tiercel::search {
namespace {

constexpr size_t kDocvalueFieldsMax = 100;

// Fields a name or pattern stands for; a name that is not mapped stands for none.
std::vector<const mapping::Field*> Expand(const mapping::Mapping& mapping, const std::string& pattern) {
  if (pattern.find('*') != std::string::npos) return mapping.Expand(pattern);
  const mapping::Field* field = mapping.Find(pattern);
  return field != nullptr && field->is_leaf() ? std::vector{field} : std::vector<const mapping::Field*>();
}

Result<int64_t> MetaNumber(const segment::Segment& segment, std::string_view column, DocId doc) {
  segment::NumericCursor cursor(segment.numeric(column));
  TIERCEL_TRY_ASSIGN(const std::span<const int64_t> values, cursor.Values(doc));
  if (values.empty())
    return Corruption(segment.name() + ": document " + std::to_string(doc) + " has no " + std::string(column));
  return values[0];
}

Result<std::vector<std::string>> MetaTerms(const segment::Segment& segment, std::string_view column, DocId doc) {
  std::vector<std::string> terms;
  const segment::KeywordColumn* keyword = segment.keyword(column);
  if (keyword == nullptr) return terms;
  segment::KeywordCursor cursor(keyword);
  TIERCEL_TRY_ASSIGN(const std::span<const segment::Ordinal> ordinals, cursor.Ordinals(doc));
  for (const segment::Ordinal ordinal : ordinals) {
    TIERCEL_TRY_ASSIGN(std::string term, keyword->Term(ordinal));
    terms.push_back(std::move(term));
  }
  return terms;
}

}  // namespace

Status HitFetcher::PrepareTarget(const SearchTarget& target, TargetFields& out) const {
  const mapping::Mapping& mapping = *target.mapping;
  for (const FieldAndFormat& wanted : request_.docvalue_fields) {
    const bool pattern = wanted.field.find('*') != std::string::npos;
    if (wanted.field == "_id") {
      return InvalidArgument(
          "Fielddata access on the _id field is disallowed, you can re-enable it by updating the dynamic cluster "
          "setting: "
          "indices.id_field_data.enabled");
    }
    for (const mapping::Field* field : Expand(mapping, wanted.field)) {
      const FetchField entry{field, wanted.format};
      if (field->inside_nested) continue;
      Status status = CheckDocValues(entry, target.index);
      if (!status.ok() && !pattern) return status;
      if (status.ok()) out.docvalues.push_back(entry);
    }
  }
  for (const FieldAndFormat& wanted : request_.fields)
    for (const mapping::Field* field : Expand(mapping, wanted.field))
      if (!field->inside_nested) out.fields.push_back({field, wanted.format});
  out.source = request_.source;
  if (request_.exclude_vectors && out.source.enabled) {
    for (const mapping::Field* field : mapping.Expand("*"))
      if (field->type == mapping::FieldType::kDenseVector) out.source.excludes.push_back(field->name);
  }
  return {};
}

Status HitFetcher::Prepare(std::span<const SearchTarget> targets, std::span<const Hit> hits) {
  if (request_.docvalue_fields.size() > kDocvalueFieldsMax && !targets.empty()) {
    return ShardFailure(
        InvalidArgument(
            "Trying to retrieve too many docvalue_fields. Must be less than or equal to: [" +
            std::to_string(kDocvalueFieldsMax) + "] but was [" + std::to_string(request_.docvalue_fields.size()) +
            "]. This limit can be set by changing the [index.max_docvalue_fields_search] index level setting."),
        targets[0].index);
  }
  targets_.resize(targets.size());
  for (size_t t = 0; t < targets.size(); ++t) {
    if (Status status = PrepareTarget(targets[t], targets_[t]); !status.ok())
      return ShardFailure(std::move(status), targets[t].index);
  }
  return MatchNames(hits);
}

Status HitFetcher::MatchNames(std::span<const Hit> hits) {
  for (uint32_t t = 0; t < plans_.size(); ++t) TIERCEL_TRY(MatchNamesOfTarget(t, hits));
  return {};
}

Status HitFetcher::MatchNamesOfTarget(uint32_t target_index, std::span<const Hit> hits) {
  const TargetPlan& plan = plans_[target_index];
  std::vector<const Query*> named;
  plan.query->AppendNamed(named);
  if (plan.post_filter != nullptr) plan.post_filter->AppendNamed(named);
  if (named.empty()) return {};
  matched_names_.resize(hits.size());
  std::vector<size_t> order(hits.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return hits[a].segment != hits[b].segment ? hits[a].segment < hits[b].segment : hits[a].doc < hits[b].doc;
  });
  for (const Query* query : named) {
    std::unique_ptr<Scorer> scorer;
    uint32_t open = UINT32_MAX;
    bool started = false;
    for (const size_t i : order) {
      const SegmentRef& ref = segments_[hits[i].segment];
      if (ref.target_index != target_index) continue;
      if (hits[i].segment != open) {
        TIERCEL_TRY_ASSIGN(scorer, query->MakeScorer(*ref.view, ScoreMode::kNoScores));
        open = hits[i].segment;
        started = false;
      }
      if (scorer == nullptr) continue;
      if (!started || scorer->doc() < hits[i].doc) scorer->Advance(hits[i].doc);
      started = true;
      TIERCEL_TRY(scorer->status());
      std::vector<std::string>& names = matched_names_[i];
      if (scorer->doc() == hits[i].doc && std::find(names.begin(), names.end(), *query->name()) == names.end())
        names.push_back(*query->name());
    }
  }
  return {};
}

Status HitFetcher::WriteMeta(const Hit& hit, json::Writer& writer) const {
  const SegmentRef& ref = segments_[hit.segment];
  const segment::Segment& segment = *ref.view->segment;
  writer.Member("_index", ref.target->index);
  if (!request_.stored_fields_none) {
    TIERCEL_TRY_ASSIGN(const std::string id, segment.Id(hit.doc));
    writer.Member("_id", id);
  }
  if (request_.version) {
    TIERCEL_TRY_ASSIGN(const int64_t version, MetaNumber(segment, segment::kVersionField, hit.doc));
    writer.Member("_version", version);
  }
  if (request_.seq_no_primary_term) {
    TIERCEL_TRY_ASSIGN(const int64_t seq_no, MetaNumber(segment, segment::kSeqNoField, hit.doc));
    TIERCEL_TRY_ASSIGN(const int64_t term, MetaNumber(segment, segment::kPrimaryTermField, hit.doc));
    writer.Member("_seq_no", seq_no).Member("_primary_term", term);
  }
  writer.Key("_score");
  const bool scored = request_.by_score() || request_.track_scores || plans_[ref.target_index].sort.needs_scores();
  if (scored && !std::isnan(hit.score)) {
    writer.Float(hit.score);
  } else {
    writer.Null();
  }
  return request_.stored_fields_none ? Status() : WriteKeywordMeta(hit, writer);
}

Status HitFetcher::WriteKeywordMeta(const Hit& hit, json::Writer& writer) const {
  const segment::Segment& segment = *segments_[hit.segment].view->segment;
  TIERCEL_TRY_ASSIGN(const std::vector<std::string> ignored, MetaTerms(segment, segment::kIgnoredField, hit.doc));
  if (!ignored.empty()) {
    writer.Key("_ignored").Array([&] {
      for (const std::string& name : ignored) writer.String(name);
    });
  }
  TIERCEL_TRY_ASSIGN(const std::vector<std::string> routing, MetaTerms(segment, segment::kRoutingField, hit.doc));
  if (!routing.empty()) writer.Member("_routing", routing[0]);
  return {};
}

Status HitFetcher::WriteSourceAndFields(const Hit& hit, json::Writer& writer) const {
  const SegmentRef& ref = segments_[hit.segment];
  const segment::Segment& segment = *ref.view->segment;
  const TargetFields& wanted = targets_[ref.target_index];
  std::string source;
  if (wanted.source.enabled || !wanted.fields.empty()) {
    TIERCEL_TRY_ASSIGN(source, segment.Source(hit.doc));
  }
  if (wanted.source.enabled)
    writer.Key("_source").Raw(wanted.source.passes_all() ? source : FilterSource(source, wanted.source));
  if (wanted.docvalues.empty() && wanted.fields.empty()) return {};

  std::string text;
  json::Writer fields(text);
  bool any = false;
  fields.BeginObject();
  for (const FetchField& field : wanted.docvalues) {
    std::string values;
    json::Writer array(values);
    TIERCEL_TRY_ASSIGN(const bool has, AppendDocValues(segment, hit.doc, field, array));
    if (has) fields.Key(field.field->name).Raw(values);
    any |= has;
  }
  if (!wanted.fields.empty()) {
    TIERCEL_TRY_ASSIGN(const json::Document document, json::Document::Parse(source));
    any |= WriteSourceFields(document.root(), wanted.fields, fields);
  }
  fields.EndObject();
  if (any) writer.Key("fields").Raw(text);
  return {};
}

Status HitFetcher::WriteHit(const Hit& hit, size_t position, json::Writer& writer) const {
  writer.BeginObject();
  TIERCEL_TRY(WriteMeta(hit, writer));
  TIERCEL_TRY(WriteSourceAndFields(hit, writer));
  if (!hit.sort.empty()) {
    const BoundSort& sort = plans_[segments_[hit.segment].target_index].sort;
    writer.Key("sort").Array([&] {
      for (size_t i = 0; i < hit.sort.size(); ++i) WriteSortValue(sort.fields[i], hit.sort[i], writer);
    });
  }
  if (position < matched_names_.size() && !matched_names_[position].empty()) {
    writer.Key("matched_queries").Array([&] {
      for (const std::string& name : matched_names_[position]) writer.String(name);
    });
  }
  writer.EndObject();
  return {};
}

}  // namespace tiercel::search
