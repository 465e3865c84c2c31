#include <algorithm>

#include "tiercel/format/checksum.h"
#include "tiercel/search/aggs/bucket_index.h"
#include "tiercel/search/aggs/distinct_counter.h"
#include "tiercel/search/aggs/order.h"
#include "tiercel/search/aggs/parse.h"
#include "tiercel/search/aggs/readers.h"

namespace tiercel::search::aggs {
namespace {

constexpr uint64_t kDefaultThreshold = 3000;

struct CounterPartial final : Partial {
  std::vector<DistinctCounter> counters;
};

uint64_t MemoryOf(const std::vector<DistinctCounter>& counters) {
  uint64_t bytes = 0;
  for (const DistinctCounter& counter : counters) bytes += counter.memory_bytes();
  return bytes;
}

class NumericCardinalityCollector final : public Collector {
 public:
  NumericCardinalityCollector(int precision, const ValueType& type, NumericReader* reader)
      : precision_(precision), type_(type), reader_(reader), partial_(std::make_unique<CounterPartial>()) {}

  Status Collect(const Batch& batch) override {
    auto& counters = partial_->counters;
    if (counters.size() < batch.bucket_bound) counters.resize(batch.bucket_bound, DistinctCounter(precision_));
    if (reader_->column() == nullptr && !type_.missing_number) return {};
    TIERCEL_TRY(reader_->Load(batch.block));
    if (type_.kind == ValueKind::kDouble || (type_.missing_number && !type_.missing_encoded)) {
      const Rows<double> rows =
          doubles_.Expand(batch, reader_->single(), reader_->starts(), reader_->numbers(), type_.missing_number);
      for (size_t i = 0; i < rows.size(); ++i)
        counters[rows.buckets[i]].Add(MixBits(static_cast<uint64_t>(mapping::EncodeDouble(rows.values[i]))));
    } else {
      const Rows<int64_t> rows =
          integers_.Expand(batch, reader_->single(), reader_->starts(), reader_->stored(), type_.missing_encoded);
      for (size_t i = 0; i < rows.size(); ++i)
        counters[rows.buckets[i]].Add(MixBits(static_cast<uint64_t>(rows.values[i])));
    }
    if (++batches_ % kMemoryEvery == 0) memory_ = MemoryOf(counters);
    return {};
  }
  Result<std::unique_ptr<Partial>> Finish(uint32_t bucket_count) override {
    partial_->counters.resize(std::max<size_t>(bucket_count, partial_->counters.size()), DistinctCounter(precision_));
    return std::unique_ptr<Partial>(std::move(partial_));
  }
  uint64_t memory_bytes() const override { return memory_ + doubles_.memory_bytes() + integers_.memory_bytes(); }

 private:
  static constexpr uint32_t kMemoryEvery = 16;  // batches between walks over all counters

  const int precision_;
  const ValueType type_;
  NumericReader* const reader_;
  RowExpander<double> doubles_;
  RowExpander<int64_t> integers_;
  uint32_t batches_ = 0;
  uint64_t memory_ = 0;
  std::unique_ptr<CounterPartial> partial_;
};

// Collects the different (bucket, ordinal) pairs; terms are read and hashed once each at the end.
class KeywordCardinalityCollector final : public Collector {
 public:
  KeywordCardinalityCollector(int precision, const ValueType& type, KeywordReader* reader)
      : precision_(precision), type_(type), reader_(reader), pairs_(uint64_t{reader->cardinality()} + 1) {
    if (type_.has_missing()) missing_ = reader->cardinality();
  }

  Status Collect(const Batch& batch) override {
    if (reader_->column() == nullptr && !missing_) return {};
    TIERCEL_TRY(reader_->Load(batch.block));
    const Rows<segment::Ordinal> rows =
        expander_.Expand(batch, reader_->single(), reader_->starts(), reader_->ordinals(), missing_);
    if (out_.size() < rows.size()) out_.resize(rows.size());
    pairs_.Count(rows.buckets, rows.values, batch.bucket_bound, out_.data());
    return {};
  }

  Result<std::unique_ptr<Partial>> Finish(uint32_t bucket_count) override {
    auto partial = std::make_unique<CounterPartial>();
    partial->counters.resize(bucket_count, DistinctCounter(precision_));
    std::vector<uint32_t> by_ordinal(pairs_.size());
    for (uint32_t i = 0; i < by_ordinal.size(); ++i) by_ordinal[i] = i;
    std::sort(by_ordinal.begin(), by_ordinal.end(),
              [this](uint32_t a, uint32_t b) { return pairs_.keys()[a] < pairs_.keys()[b]; });
    int64_t hashed = -1;
    uint64_t hash = 0;
    for (const uint32_t pair : by_ordinal) {
      if (const int64_t ordinal = pairs_.keys()[pair]; ordinal != hashed) {
        TIERCEL_TRY_ASSIGN(const std::string term, TermOf(ordinal));
        hash = MixBits(format::Checksum(AsBytes(term)));
        hashed = ordinal;
      }
      partial->counters[pairs_.owners()[pair]].Add(hash);
    }
    return std::unique_ptr<Partial>(std::move(partial));
  }
  uint64_t memory_bytes() const override { return pairs_.memory_bytes() + expander_.memory_bytes(); }

 private:
  Result<std::string> TermOf(int64_t ordinal) {
    if (ordinal == reader_->cardinality()) return *type_.missing_term;
    return reader_->column()->Term(static_cast<segment::Ordinal>(ordinal));
  }

  const int precision_;
  const ValueType type_;
  KeywordReader* const reader_;
  std::optional<segment::Ordinal> missing_;
  BucketIndex pairs_;
  RowExpander<segment::Ordinal> expander_;
  std::vector<uint32_t> out_;
};

class CardinalityReduction final : public Reduction {
 public:
  explicit CardinalityReduction(int precision) : precision_(precision) {}

  Status Merge(std::span<MergeInput> inputs, uint32_t owner_count, const ReduceContext& context) override {
    TIERCEL_TRY(context.Charge(owner_count * sizeof(DistinctCounter), "cardinality"));
    counters_.resize(owner_count, DistinctCounter(precision_));
    for (const MergeInput& input : inputs) {
      auto& partial = static_cast<CounterPartial&>(*input.partial);
      for (size_t i = 0; i < input.owners.size(); ++i) counters_[input.owners[i]].Merge(partial.counters[i]);
    }
    return {};
  }
  std::string_view typed_name() const override { return "cardinality"; }
  Status Write(uint32_t owner, WriteContext&, json::Writer& writer) const override {
    writer.Member("value", owner == kNoBucket ? uint64_t{0} : counters_[owner].Count());
    return {};
  }
  double SortValue(uint32_t owner, const OrderPath&, size_t) const override {
    return owner == kNoBucket ? 0 : static_cast<double>(counters_[owner].Count());
  }

 private:
  const int precision_;
  std::vector<DistinctCounter> counters_;
};

class CardinalitySpec final : public Spec {
 public:
  CardinalitySpec(std::string name, ValueSpec values, uint64_t threshold, std::string hint)
      : Spec("cardinality", std::move(name)),
        values_(std::move(values)),
        precision_(DistinctCounter::PrecisionFor(threshold)),
        hint_(std::move(hint)) {}

  bool accepts_children() const override { return false; }
  Status Validate(const SearchTarget& target, const SearchEnvironment& environment) const override {
    constexpr std::string_view kHints[] = {"",       "global_ordinal",        "segment_ordinal",
                                           "direct", "save_memory_heuristic", "save_time_heuristic"};
    if (std::find(std::begin(kHints), std::end(kHints), hint_) == std::end(kHints)) {
      return InvalidArgument("Invalid execution mode for cardinality aggregation.  Got [" + hint_ +
                             "]expected one of [global_ordinal, segment_ordinal, direct]");
    }
    return Resolve(target, environment).status();
  }
  Status CheckOrder(const OrderPath& path, size_t depth) const override {
    return depth + 1 < path.names.size() ? Spec::CheckOrder(path, depth) : CheckSingleValueOrder(path);
  }
  Result<std::unique_ptr<Collector>> NewCollector(const CollectContext& context) const override {
    TIERCEL_TRY_ASSIGN(const ValueType type, Resolve(*context.target, *context.environment));
    if (type.numeric())
      return std::make_unique<NumericCardinalityCollector>(precision_, type, context.readers->Numeric(type));
    return std::make_unique<KeywordCardinalityCollector>(precision_, type, context.readers->Keyword(type));
  }
  std::unique_ptr<Reduction> NewReduction() const override {
    return std::make_unique<CardinalityReduction>(precision_);
  }

 private:
  Result<ValueType> Resolve(const SearchTarget& target, const SearchEnvironment& environment) const {
    return ResolveValues(values_, kEverything, ValueKind::kKeyword, {&target, &environment, &type(), &name()});
  }
  const ValueSpec values_;
  const int precision_;
  const std::string hint_;
};

}  // namespace

Result<std::unique_ptr<Spec>> ParseCardinality(const std::string& name, json::Value body) {
  ValueSpec values;
  uint64_t threshold = kDefaultThreshold;
  std::string hint;
  for (const auto [key, value] : body.members()) {
    const Parameter parameter("cardinality", key, value);
    TIERCEL_TRY_ASSIGN(const bool taken, ReadValueParameter(parameter, name, kNoExtras, values));
    if (taken) continue;
    if (key == "precision_threshold") {
      TIERCEL_TRY_ASSIGN(const int64_t number, parameter.IntAtLeast(0, "precisionThreshold", name));
      threshold = static_cast<uint64_t>(number);
    } else if (key == "execution_hint") {
      TIERCEL_TRY_ASSIGN(hint, parameter.String());
    } else if (key == "rehash") {
      TIERCEL_TRY(parameter.String().status());  // accepted and ignored, as Elasticsearch does
    } else {
      return parameter.Unknown();
    }
  }
  TIERCEL_TRY(RequireField(values));
  return std::make_unique<CardinalitySpec>(name, std::move(values), threshold, std::move(hint));
}

}  // namespace tiercel::search::aggs
