#include <algorithm>
#include <numeric>
#include <utility>

#include "tiercel/mapping/values.h"
#include "tiercel/search/aggs/bucket_groups.h"
#include "tiercel/search/aggs/bucket_index.h"
#include "tiercel/search/aggs/terms.h"

namespace tiercel::search::aggs {
namespace {

TermsPartial& PartialOf(const MergeInput& input) { return static_cast<TermsPartial&>(*input.partial); }

bool IsText(ValueKind kind) { return kind == ValueKind::kKeyword || kind == ValueKind::kIp; }

double KeyAsDouble(ValueKind kind, int64_t key) {
  if (kind == ValueKind::kDouble) return mapping::DecodeDouble(key);
  if (kind == ValueKind::kUnsignedLong) return mapping::DecodeToDouble(mapping::NumericEncoding::kUint64, key);
  return static_cast<double>(key);
}

class TermsReduction final : public Reduction {
 public:
  TermsReduction(const Spec& spec, const TermsParameters& parameters)
      : spec_(spec), parameters_(parameters), children_(spec.children()) {}

  Status Merge(std::span<MergeInput> inputs, uint32_t owner_count, const ReduceContext& context) override {
    TIERCEL_TRY(Unify(inputs));
    if (IsText(kind_)) TIERCEL_TRY(MergeTerms(inputs));
    if (inputs.size() == 1) return TakeOver(inputs, owner_count, context);
    BucketIndex index(0);
    std::vector<std::vector<uint32_t>> maps;
    uint64_t buckets = 0;
    for (const MergeInput& input : inputs) buckets += PartialOf(input).keys.size();
    TIERCEL_TRY(context.Charge(buckets * (sizeof(uint64_t) * 4), "terms aggregation"));
    for (const MergeInput& input : inputs) {
      const TermsPartial& partial = PartialOf(input);
      auto& map = maps.emplace_back(partial.keys.size());
      for (size_t i = 0; i < partial.keys.size(); ++i) {
        map[i] = index.Add(input.owners[partial.owners[i]], partial.keys[i]);
        index.counts()[map[i]] += partial.counts[i];
      }
    }
    keys_ = std::move(index.keys());
    counts_ = std::move(index.counts());
    groups_.Build(index.owners(), owner_count);
    return children_.Merge(inputs, std::move(maps), static_cast<uint32_t>(keys_.size()), context);
  }

  std::string_view typed_name() const override {
    return IsText(kind_)                       ? "sterms"
           : kind_ == ValueKind::kDouble       ? "dterms"
           : kind_ == ValueKind::kUnsignedLong ? "ulterms"
                                               : "lterms";
  }

  Status Write(uint32_t owner, WriteContext& context, json::Writer& writer) const override {
    std::vector<BucketOrder::Entry> entries;
    uint64_t other = 0;
    const int64_t shard_min_doc_count = std::min(parameters_.shard_min_doc_count, parameters_.min_doc_count);
    for (const uint32_t bucket : owner == kNoBucket ? std::span<const uint32_t>() : groups_.Of(owner)) {
      if (static_cast<int64_t>(counts_[bucket]) < shard_min_doc_count) continue;
      entries.push_back({bucket, counts_[bucket], keys_[bucket]});
    }
    const size_t shard_size = std::min<uint64_t>(parameters_.EffectiveShardSize(), entries.size());
    const bool inexact = shard_size == parameters_.EffectiveShardSize() && !parameters_.order.by_key() &&
                         !parameters_.order.by_count_descending();
    parameters_.order.Sort(entries, shard_size, children_);
    size_t kept = 0;
    for (size_t i = 0; i < entries.size(); ++i) {
      const bool frequent = static_cast<int64_t>(entries[i].count) >= parameters_.min_doc_count;
      if (i >= shard_size || (frequent && kept >= static_cast<uint64_t>(parameters_.size))) {
        other += entries[i].count;
      } else if (frequent) {
        entries[kept++] = entries[i];
      }
    }
    writer.Member("doc_count_error_upper_bound", inexact ? -1 : 0)
        .Member("sum_other_doc_count", other)
        .Key("buckets")
        .BeginArray();
    for (size_t i = 0; i < kept; ++i) TIERCEL_TRY(WriteBucket(entries[i], inexact, context, writer));
    writer.EndArray();
    return {};
  }

 private:
  // One kind of key for all segments: doubles and integers meet as doubles.
  Status Unify(std::span<MergeInput> inputs) {
    bool first = true;
    for (const MergeInput& input : inputs) {
      const TermsPartial& partial = PartialOf(input);
      if (std::exchange(first, false) || (keys_seen_ == 0 && (!partial.keys.empty() || IsText(kind_)))) {
        kind_ = partial.kind;
        format_ = partial.format;
      } else if (!partial.keys.empty() && partial.kind != kind_) {
        if (IsText(partial.kind) || IsText(kind_)) {
          return InvalidArgument(
              "Failed trying to merge aggregation [" + spec_.name() +
              "]: the field you gave to the aggregation query existed as two different types in two different indices");
        }
        kind_ = ValueKind::kDouble;
      }
      keys_seen_ += partial.keys.size();
    }
    if (kind_ != ValueKind::kDouble) return {};
    for (const MergeInput& input : inputs) {
      TermsPartial& partial = PartialOf(input);
      if (partial.kind == ValueKind::kDouble) continue;
      for (int64_t& key : partial.keys) key = mapping::EncodeDouble(KeyAsDouble(partial.kind, key));
    }
    return {};
  }

  // One segment's buckets are distinct already.
  Status TakeOver(std::span<MergeInput> inputs, uint32_t owner_count, const ReduceContext& context) {
    TermsPartial& partial = PartialOf(inputs[0]);
    keys_ = std::move(partial.keys);
    counts_ = std::move(partial.counts);
    for (uint32_t& owner : partial.owners) owner = inputs[0].owners[owner];
    groups_.Build(partial.owners, owner_count);
    std::vector<std::vector<uint32_t>> maps(1, std::vector<uint32_t>(keys_.size()));
    std::iota(maps[0].begin(), maps[0].end(), 0);
    return children_.Merge(inputs, std::move(maps), static_cast<uint32_t>(keys_.size()), context);
  }

  // Merges the sorted terms of the segments and renumbers their keys. Those of one segment alone stay where they are.
  Status MergeTerms(std::span<MergeInput> inputs) {
    if (inputs.size() == 1) {
      TermsPartial& partial = PartialOf(inputs[0]);
      terms_ = std::move(partial.terms);
      column_ = partial.column;
      ordinals_ = std::move(partial.ordinals);
      return {};
    }
    for (const MergeInput& input : inputs) TIERCEL_TRY(PartialOf(input).ReadTerms());
    for (const MergeInput& input : inputs) {
      std::vector<std::string> merged;
      merged.reserve(terms_.size() + PartialOf(input).terms.size());
      std::set_union(terms_.begin(), terms_.end(), PartialOf(input).terms.begin(), PartialOf(input).terms.end(),
                     std::back_inserter(merged));
      terms_ = std::move(merged);
    }
    for (const MergeInput& input : inputs) {
      TermsPartial& partial = PartialOf(input);
      std::vector<int64_t> renumbered(partial.terms.size());
      auto at = terms_.begin();
      for (size_t i = 0; i < partial.terms.size(); ++i) {
        at = std::lower_bound(at, terms_.end(), partial.terms[i]);
        renumbered[i] = at - terms_.begin();
      }
      for (int64_t& key : partial.keys) key = renumbered[static_cast<size_t>(key)];
    }
    return {};
  }

  Result<std::string> TermOf(int64_t key) const {
    const auto index = static_cast<size_t>(key);
    return ordinals_.empty() ? Result<std::string>(terms_[index]) : column_->Term(ordinals_[index]);
  }

  Status WriteBucket(const BucketOrder::Entry& entry, bool inexact, WriteContext& context, json::Writer& writer) const {
    TIERCEL_TRY(CountBucket(context));
    writer.BeginObject().Key("key");
    switch (kind_) {
      case ValueKind::kKeyword:
      case ValueKind::kIp: {
        TIERCEL_TRY_ASSIGN(const std::string term, TermOf(entry.key));
        writer.String(kind_ == ValueKind::kIp ? mapping::FormatIp(term) : term);
        break;
      }
      case ValueKind::kDouble:
        writer.Double(mapping::DecodeDouble(entry.key));
        break;
      case ValueKind::kUnsignedLong:
        writer.Uint(static_cast<uint64_t>(entry.key) ^ (uint64_t{1} << 63));
        break;
      default:
        writer.Int(entry.key);
    }
    if (!IsText(kind_)) TIERCEL_TRY(format_.WriteMember("key_as_string", KeyAsDouble(kind_, entry.key), false, writer));
    writer.Member("doc_count", entry.count);
    if (parameters_.show_error) writer.Member("doc_count_error_upper_bound", inexact ? -1 : 0);
    TIERCEL_TRY(children_.Write(entry.bucket, context, writer));
    writer.EndObject();
    return {};
  }

  const Spec& spec_;
  const TermsParameters& parameters_;
  ChildReductions children_;
  ValueKind kind_ = ValueKind::kKeyword;
  ValueFormat format_;
  uint64_t keys_seen_ = 0;
  std::vector<std::string> terms_;
  const segment::KeywordColumn* column_ = nullptr;  // of ordinals_
  std::vector<segment::Ordinal> ordinals_;          // instead of terms_
  std::vector<int64_t> keys_;                       // of strings: positions in terms_
  std::vector<uint64_t> counts_;
  BucketGroups groups_;
};

}  // namespace

std::unique_ptr<Reduction> NewTermsReduction(const Spec& spec, const TermsParameters& parameters) {
  return std::make_unique<TermsReduction>(spec, parameters);
}

}  // namespace tiercel::search::aggs
