// Sorting by fields: a request's sort bound to one index, keys of documents in one segment, and values comparable
// across segments.
//
// Within a segment every key is an int64 made so that ascending order is the wanted order: numbers as they are encoded,
// dictionary ordinals, complemented when the order is descending. Only the hits that survive a segment become
// SortValues with their terms.
//
// Thread safety: a BoundSort is immutable and shared; a SegmentSorter belongs to one thread and borrows its BoundSort
// and segment.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/json/value.h"
#include "tiercel/json/writer.h"
#include "tiercel/mapping/mapping.h"
#include "tiercel/search/search.h"
#include "tiercel/search/sort_spec.h"
#include "tiercel/segment/source.h"

namespace tiercel::search {

// A document's value for one sort element.
struct SortValue {
  enum class Kind : uint8_t {
    kNumber,
    kTerm,
    kMissingFirst,
    kMissingLast
  } kind = Kind::kNumber;  // the missing ones: of terms only
  int64_t number = 0;      // encoded, before the order is applied
  std::string term;
};

// One element bound to an index.
struct BoundSortField {
  enum class Source : uint8_t { kScore, kDoc, kIndexName, kNumber, kTerm } source = Source::kNumber;
  // How numbers are told to the world.
  enum class Print : uint8_t { kInt64, kUint64, kDouble, kFloat, kDate } print = Print::kInt64;
  const mapping::Field* field = nullptr;  // null when unmapped, or a column every segment has
  std::string column;
  mapping::FieldType type = mapping::FieldType::kLong;
  bool descending = false;
  SortMode mode = SortMode::kMin;
  bool as_double = false;  // column values become doubles: numeric_type, scaled_float, float
  bool to_nanos = false;
  int64_t missing_number = 0;
  SortMissing missing = SortMissing::kLast;
  std::string missing_term;
  std::string format;
};

struct BoundSort {
  std::vector<BoundSortField> fields;
  std::vector<SortValue> after;  // empty, or one a field: hits must sort strictly after it
  std::string index;

  bool needs_scores() const;
};

// Errors: as a shard words them, to be wrapped by the caller.
Result<BoundSort> BindSort(std::span<const SortSpec> specs, std::span<const json::Value> search_after,
                           const SearchTarget& target, int64_t now_ms);

// Keys of one segment's documents, asked for in ascending order of documents.
class SegmentSorter {
 public:
  // `doc_base` is the position of the segment's first document in its shard.
  static Result<SegmentSorter> Open(const BoundSort& sort, const segment::Segment& segment, uint64_t doc_base);

  size_t size() const { return sort_->fields.size(); }
  // The key of element `i`, by which ascending order is the wanted one.
  Result<int64_t> Key(size_t i, segment::DocId doc, float score);
  // Keys of search_after in this segment; empty when there is none.
  std::span<const int64_t> after() const { return after_; }
  // What a key of element `i` stands for.
  Result<SortValue> Value(size_t i, int64_t key) const;

 private:
  struct Element {
    const segment::NumericColumn* numbers = nullptr;
    const segment::KeywordColumn* terms = nullptr;
    segment::NumericCursor number_cursor{nullptr};
    segment::KeywordCursor term_cursor{nullptr};
    int64_t missing_key = 0;  // of terms, in the wanted order
  };
  Result<int64_t> TermPosition(const segment::KeywordColumn* terms, std::string_view term) const;
  Result<int64_t> AfterKey(size_t i) const;

  const BoundSort* sort_ = nullptr;
  uint64_t doc_base_ = 0;
  std::vector<Element> elements_;
  std::vector<int64_t> after_;
};

// <0, 0, >0 in the wanted order.
int CompareSortValues(const BoundSortField& field, const SortValue& a, const SortValue& b);
void WriteSortValue(const BoundSortField& field, const SortValue& value, json::Writer& writer);

}  // namespace tiercel::search
