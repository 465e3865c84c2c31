#include "tiercel/search/sort.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tiercel/mapping/values.h"

namespace tiercel::search {
namespace {

using Print = BoundSortField::Print;
using Source = BoundSortField::Source;
using mapping::DecodeDouble;
using mapping::EncodeDouble;

constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
constexpr int64_t kLast = std::numeric_limits<int64_t>::max();

// Complementing turns ascending into descending order and back.
int64_t Ordered(const BoundSortField& field, int64_t key) { return field.descending ? ~key : key; }

double AsDouble(const BoundSortField& field, const segment::NumericColumn& column, int64_t encoded) {
  const double value = mapping::DecodeToDouble(column.encoding(), encoded);
  const bool scaled = field.field != nullptr && field.field->type == mapping::FieldType::kScaledFloat;
  return scaled ? value / field.field->scaling_factor : value;
}

// Java's Math.round: half up.
int64_t RoundHalfUp(double value) {
  if (value >= 9.2233720368547758e18) return kLast;
  if (value <= -9.2233720368547758e18) return kFirst;
  return static_cast<int64_t>(std::floor(value + 0.5));
}

int64_t PickInteger(SortMode mode, std::span<const int64_t> values) {
  const size_t n = values.size();
  switch (mode) {
    case SortMode::kMax:
      return values.back();
    case SortMode::kMedian:
      if (n % 2 == 1) return values[n / 2];
      return RoundHalfUp((static_cast<double>(values[n / 2 - 1]) + static_cast<double>(values[n / 2])) / 2);
    case SortMode::kSum:
    case SortMode::kAvg: {
      uint64_t sum = 0;
      for (const int64_t value : values) sum += static_cast<uint64_t>(value);
      if (mode == SortMode::kSum || n == 1) return static_cast<int64_t>(sum);
      return RoundHalfUp(static_cast<double>(static_cast<int64_t>(sum)) / static_cast<double>(n));
    }
    default:
      return values.front();
  }
}

double PickDouble(const BoundSortField& field, const segment::NumericColumn& column, std::span<const int64_t> values) {
  const size_t n = values.size();
  const auto at = [&](size_t i) { return AsDouble(field, column, values[i]); };
  switch (field.mode) {
    case SortMode::kMax:
      return at(n - 1);
    case SortMode::kMedian:
      return n % 2 == 1 ? at(n / 2) : (at(n / 2 - 1) + at(n / 2)) / 2;
    case SortMode::kSum:
    case SortMode::kAvg: {
      if (n == 1) return at(0);
      double sum = 0;
      for (size_t i = 0; i < n; ++i) sum += at(i);
      return field.mode == SortMode::kSum ? sum : sum / static_cast<double>(n);
    }
    default:
      return at(0);
  }
}

}  // namespace

Result<SegmentSorter> SegmentSorter::Open(const BoundSort& sort, const segment::Segment& segment, uint64_t doc_base) {
  SegmentSorter sorter;
  sorter.sort_ = &sort;
  sorter.doc_base_ = doc_base;
  for (const BoundSortField& field : sort.fields) {
    Element element;
    if (field.source == Source::kNumber) {
      element.numbers = segment.numeric(field.column);
      element.number_cursor = segment::NumericCursor(element.numbers);
    } else if (field.source == Source::kTerm) {
      element.terms = segment.keyword(field.column);
      element.term_cursor = segment::KeywordCursor(element.terms);
      element.missing_key = field.missing == SortMissing::kFirst ? kFirst : kLast;
      if (field.missing == SortMissing::kValue) {
        TIERCEL_TRY_ASSIGN(const int64_t position, sorter.TermPosition(element.terms, field.missing_term));
        element.missing_key = Ordered(field, position);
      }
    }
    sorter.elements_.push_back(std::move(element));
  }
  for (size_t i = 0; i < sort.after.size(); ++i) {
    TIERCEL_TRY_ASSIGN(const int64_t key, sorter.AfterKey(i));
    sorter.after_.push_back(key);
  }
  return sorter;
}

// Terms of the dictionary have odd positions, so that a term it lacks has an even one between its neighbours.
Result<int64_t> SegmentSorter::TermPosition(const segment::KeywordColumn* terms, std::string_view term) const {
  if (terms == nullptr) return 0;
  TIERCEL_TRY_ASSIGN(const auto bound, terms->LowerBound(term));
  return int64_t{bound.first} * 2 + (bound.second ? 1 : 0);
}

Result<int64_t> SegmentSorter::AfterKey(size_t i) const {
  const BoundSortField& field = sort_->fields[i];
  const SortValue& after = sort_->after[i];
  if (after.kind == SortValue::Kind::kMissingFirst) return kFirst;
  if (after.kind == SortValue::Kind::kMissingLast) return kLast;
  if (field.source == Source::kIndexName) return Ordered(field, after.term.compare(sort_->index));
  if (after.kind == SortValue::Kind::kNumber) return Ordered(field, after.number);
  TIERCEL_TRY_ASSIGN(const int64_t position, TermPosition(elements_[i].terms, after.term));
  return Ordered(field, position);
}

Result<int64_t> SegmentSorter::Key(size_t i, segment::DocId doc, float score) {
  const BoundSortField& field = sort_->fields[i];
  Element& element = elements_[i];
  switch (field.source) {
    case Source::kScore:
      return Ordered(field, EncodeDouble(score));
    case Source::kDoc:
      return Ordered(field, static_cast<int64_t>(doc_base_ + doc));
    case Source::kIndexName:
      return Ordered(field, 0);
    case Source::kTerm: {
      TIERCEL_TRY_ASSIGN(const std::span<const segment::Ordinal> ordinals, element.term_cursor.Ordinals(doc));
      if (ordinals.empty()) return element.missing_key;
      const segment::Ordinal ordinal = field.mode == SortMode::kMax ? ordinals.back() : ordinals.front();
      return Ordered(field, int64_t{ordinal} * 2 + 1);
    }
    case Source::kNumber: {
      TIERCEL_TRY_ASSIGN(const std::span<const int64_t> values, element.number_cursor.Values(doc));
      if (values.empty()) return Ordered(field, field.missing_number);
      if (field.as_double) return Ordered(field, EncodeDouble(PickDouble(field, *element.numbers, values)));
      const int64_t value = PickInteger(field.mode, values);
      if (!field.to_nanos) return Ordered(field, value);
      if (value < 0) {
        return InvalidArgument("milliSeconds [" + std::to_string(value) +
                               "] are before the epoch in 1970 and cannot be converted to nanoseconds");
      }
      return Ordered(field, value * 1'000'000);
    }
  }
  return 0;
}

Result<SortValue> SegmentSorter::Value(size_t i, int64_t key) const {
  const BoundSortField& field = sort_->fields[i];
  SortValue value;
  if (field.source == Source::kIndexName) {
    value.kind = SortValue::Kind::kTerm;
    value.term = sort_->index;
    return value;
  }
  if (field.source != Source::kTerm) {
    value.number = Ordered(field, key);
    return value;
  }
  if (field.missing != SortMissing::kValue && key == elements_[i].missing_key) {
    value.kind = field.missing == SortMissing::kFirst ? SortValue::Kind::kMissingFirst : SortValue::Kind::kMissingLast;
    return value;
  }
  value.kind = SortValue::Kind::kTerm;
  const int64_t position = Ordered(field, key);
  if (position % 2 == 0) {
    value.term = field.missing_term;
    return value;
  }
  TIERCEL_TRY_ASSIGN(value.term, elements_[i].terms->Term(static_cast<segment::Ordinal>(position / 2)));
  return value;
}

int CompareSortValues(const BoundSortField& field, const SortValue& a, const SortValue& b) {
  using Kind = SortValue::Kind;
  const auto rank = [](const SortValue& v) {
    return v.kind == Kind::kMissingFirst ? -1 : v.kind == Kind::kMissingLast ? 1 : 0;
  };
  if (rank(a) != rank(b)) return rank(a) - rank(b);
  if (rank(a) != 0) return 0;
  int order = a.kind == Kind::kTerm ? a.term.compare(b.term) : a.number < b.number ? -1 : a.number > b.number ? 1 : 0;
  order = order < 0 ? -1 : order > 0 ? 1 : 0;
  return field.descending ? -order : order;
}

void WriteSortValue(const BoundSortField& field, const SortValue& value, json::Writer& writer) {
  if (value.kind == SortValue::Kind::kTerm) {
    writer.String(field.type == mapping::FieldType::kIp && value.term.size() == 16 ? mapping::FormatIp(value.term)
                                                                                   : value.term);
    return;
  }
  if (value.kind != SortValue::Kind::kNumber) {
    writer.Null();
    return;
  }
  switch (field.print) {
    case Print::kInt64:
      writer.Int(value.number);
      break;
    case Print::kUint64:
      writer.Uint(static_cast<uint64_t>(value.number) ^ (uint64_t{1} << 63));
      break;
    case Print::kDouble:
      writer.Double(DecodeDouble(value.number));
      break;
    case Print::kFloat:
      writer.Float(static_cast<float>(DecodeDouble(value.number)));
      break;
    case Print::kDate:
      if (!field.format.empty()) {
        if (Result<std::string> text = mapping::FormatDate(value.number, field.format); text.ok()) {
          writer.String(*text);
          break;
        }
      }
      writer.Int(value.number);
      break;
  }
}

}  // namespace tiercel::search
