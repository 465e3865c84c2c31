// Fetching: turns hits into the objects of hits.hits, with source, columns, sort values and the names of matched
// clauses.
//
// Thread safety: Prepare on one thread, then WriteHit on many. Lifetime: borrows everything it is given. Cost: a hit
// costs one stored document, plus a parse of it when its source is filtered or "fields" are asked for.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/json/writer.h"
#include "tiercel/search/hit.h"
#include "tiercel/search/plan.h"
#include "tiercel/search/request.h"

namespace tiercel::search {

// A field to show from its column or from the source, found in one target's mapping.
struct FetchField {
  const mapping::Field* field = nullptr;
  std::string format;
};

class HitFetcher {
 public:
  HitFetcher(const SearchRequest& request, std::span<const SegmentRef> segments, std::span<const TargetPlan> plans)
      : request_(request), segments_(segments), plans_(plans) {}

  // Finds fields in the mappings and matches named clauses. Must come before WriteHit, with all the hits that will be
  // written.
  Status Prepare(std::span<const SearchTarget> targets, std::span<const Hit> hits);
  // `position` is the hit's index in the span given to Prepare.
  Status WriteHit(const Hit& hit, size_t position, json::Writer& writer) const;

 private:
  struct TargetFields {
    std::vector<FetchField> docvalues;
    std::vector<FetchField> fields;
    SourceFilter source;
  };
  Status PrepareTarget(const SearchTarget& target, TargetFields& out) const;
  Status MatchNames(std::span<const Hit> hits);
  Status MatchNamesOfTarget(uint32_t target_index, std::span<const Hit> hits);
  Status WriteMeta(const Hit& hit, json::Writer& writer) const;
  Status WriteKeywordMeta(const Hit& hit, json::Writer& writer) const;
  Status WriteSourceAndFields(const Hit& hit, json::Writer& writer) const;

  const SearchRequest& request_;
  std::span<const SegmentRef> segments_;
  std::span<const TargetPlan> plans_;
  std::vector<TargetFields> targets_;
  std::vector<std::vector<std::string>> matched_names_;  // by position; empty when no clause has a name
};

// Appends the values of a document's column as a JSON array; nothing, and false, when it has none. (doc_values.cc)
Result<bool> AppendDocValues(const segment::Segment& segment, segment::DocId doc, const FetchField& field,
                             json::Writer& writer);
// Whether the field has such values to show, in that format; errors in Elasticsearch's words. (doc_values.cc)
Status CheckDocValues(const FetchField& field, std::string_view index);

// Writes "name": [values] for each field with a value in the source. Returns whether any was. (source_fields.cc)
bool WriteSourceFields(json::Value source, std::span<const FetchField> fields, json::Writer& writer);

}  // namespace tiercel::search
