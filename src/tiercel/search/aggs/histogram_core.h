// What histogram and date_histogram share: collecting values into intervals, filling gaps, ordering and writing
// buckets.
//
// A Scale is the axis of a histogram: it maps values to keys and knows the next key, the bounds, and how a key is
// written. Keys are int64 and ascend: milliseconds for dates, the encoded number of the interval for numbers. Thread
// safety: scales are immutable. Cost: 2-3 ns a document when the segment spans fewer than 65,536 intervals.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tiercel/search/aggs/node.h"
#include "tiercel/search/aggs/order.h"
#include "tiercel/search/aggs/value_source.h"

namespace tiercel::search::aggs {

inline constexpr uint64_t kFlatIntervalsMax = 1 << 16;

// Maps the values of one segment to keys.
class IntervalMapper {
 public:
  static constexpr int64_t kRejected = INT64_MIN;

  virtual ~IntervalMapper() = default;
  // Collected keys are in [0, bound); 0: any.
  virtual uint64_t bound() const = 0;
  // Whether Map may yield kRejected.
  virtual bool rejects() const = 0;
  virtual void Map(std::span<const double> values, int64_t* keys) const = 0;
  // A collected key as the scale's.
  virtual int64_t ScaleKey(int64_t collected) const = 0;
};

class Scale {
 public:
  virtual ~Scale() = default;
  // For values in [low, high]; low > high when the segment has none.
  virtual std::unique_ptr<IntervalMapper> NewMapper(double low, double high) const = 0;
  virtual int64_t Next(int64_t key) const = 0;
  // Extended bounds as keys.
  virtual std::optional<int64_t> low() const = 0;
  virtual std::optional<int64_t> high() const = 0;
  // What names the bucket when keyed.
  virtual Result<std::string> Name(int64_t key) const = 0;
  // "key_as_string" and "key".
  virtual Status WriteKey(int64_t key, json::Writer& writer) const = 0;
};

struct HistogramParameters {
  ValueSpec values;
  BucketOrder order = BucketOrder::KeyAscending();
  int64_t min_doc_count = 0;
  bool keyed = false;
};

class HistogramSpecBase : public Spec {
 public:
  using Spec::Spec;
  const HistogramParameters& parameters() const { return parameters_; }
  Result<std::unique_ptr<Collector>> NewCollector(const CollectContext& context) const override;
  std::unique_ptr<Reduction> NewReduction() const override;
  Status Validate(const SearchTarget& target, const SearchEnvironment& environment) const override;

  virtual Result<ValueType> Resolve(const SearchTarget& target, const SearchEnvironment& environment) const = 0;
  virtual Result<std::shared_ptr<const Scale>> NewScale(const ValueType& type, int64_t now_ms) const = 0;

 protected:
  // "field", "order", "min_doc_count", "keyed", ...; false when the parameter is another's.
  Result<bool> ReadParameter(const Parameter& parameter, uint32_t extras);
  HistogramParameters parameters_;
};

// "[1:2] [histogram] failed to parse field [extended_bounds]": bounds as they were given.
struct GivenBounds {
  std::optional<Scalar> min, max;
};
Result<GivenBounds> ReadBounds(const Parameter& parameter, std::string_view parser);

}  // namespace tiercel::search::aggs
