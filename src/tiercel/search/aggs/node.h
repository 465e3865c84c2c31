// The three lives of one aggregation of a tree: Spec (what was asked), Collector (one segment), Reduction (all
// segments).
//
// Buckets are numbered densely per aggregation and segment. A Batch names, for documents of one column block, the
// bucket of the parent that each belongs to; a bucket aggregation turns it into a batch for its children, whole arrays
// at a time, so that there is one virtual call per block and level and none per document. A Partial is what a collector
// leaves behind: flat arrays indexed by bucket, free of the segment. A Reduction merges partials: `owners` tells for
// each bucket of the parent in the segment which merged bucket of the parent it became.
//
// Thread safety: specs are immutable and shared; collectors and reductions belong to one thread. Lifetime: collectors
// borrow the spec, the mapping and the segment; partials own everything; reductions borrow the spec.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/json/writer.h"
#include "tiercel/mapping/mapping.h"
#include "tiercel/search/search.h"
#include "tiercel/segment/source.h"

namespace tiercel::search::aggs {

inline constexpr uint32_t kNoBucket = UINT32_MAX;
inline constexpr uint32_t kBlock = segment::NumericColumn::kBlock;
static_assert(kBlock == segment::KeywordColumn::kBlock, "batches follow the blocks of both kinds of columns");

// Documents of one column block and the parent's bucket each is in. A document in several buckets appears several
// times.
struct Batch {
  uint32_t block = 0;
  std::span<const uint32_t> docs;     // offsets in the block
  std::span<const uint32_t> buckets;  // same length
  uint32_t bucket_bound = 1;          // every bucket is below this
  bool whole_block = false;           // docs are 0, 1, 2, ...
};

class Partial {
 public:
  virtual ~Partial() = default;
  std::vector<std::unique_ptr<Partial>> children;
};

class Collector {
 public:
  virtual ~Collector() = default;
  virtual Status Collect(const Batch& batch) = 0;
  // `bucket_count`: how many buckets the parent has; those that never came in a batch are empty. Called once, last.
  virtual Result<std::unique_ptr<Partial>> Finish(uint32_t bucket_count) = 0;
  virtual uint64_t memory_bytes() const = 0;
};

class Readers;
struct CollectContext {
  const SearchTarget* target;
  const segment::SegmentView* view;
  const SearchEnvironment* environment;
  Readers* readers;  // decoded column blocks, shared by the tree
};

struct ReduceContext {
  const mapping::Mapping* mapping;  // of the first target
  const SearchEnvironment* environment;
  runtime::MemoryCharge* charge;  // null when nobody counts
  int64_t now_ms = 0;

  Status Charge(uint64_t bytes, std::string_view what) const { return charge ? charge->Grow(bytes, what) : Status(); }
};

struct WriteContext {
  bool typed_keys = false;
  uint32_t buckets_left = 65536;
};

struct MergeInput {
  Partial* partial;
  std::vector<uint32_t> owners;  // merged bucket of the parent, for each bucket of the parent in that segment
};

// What a bucket order can sort by below a bucket: "s", "s.avg", "f>s.value".
struct OrderPath {
  std::vector<std::string> names;  // the aggregations to descend through
  std::string metric;              // empty when none was named
};

class Reduction {
 public:
  virtual ~Reduction() = default;
  // Called once. Owners of the inputs are below `owner_count`.
  virtual Status Merge(std::span<MergeInput> inputs, uint32_t owner_count, const ReduceContext& context) = 0;
  // What typed_keys puts before the name: "sterms".
  virtual std::string_view typed_name() const = 0;
  // Writes the members of the aggregation's object for one bucket of the parent; kNoBucket: a bucket no document was
  // in.
  virtual Status Write(uint32_t owner, WriteContext& context, json::Writer& writer) const = 0;
  // The value to sort the parent's bucket by. Only for paths that Spec::CheckOrder accepted.
  virtual double SortValue(uint32_t owner, const OrderPath& path, size_t depth) const;
};

class Spec {
 public:
  Spec(std::string type, std::string name) : type_(std::move(type)), name_(std::move(name)) {}
  virtual ~Spec() = default;
  Spec(const Spec&) = delete;
  Spec& operator=(const Spec&) = delete;

  const std::string& type() const { return type_; }
  const std::string& name() const { return name_; }
  const std::string& meta_json() const { return meta_json_; }
  const std::vector<std::unique_ptr<Spec>>& children() const { return children_; }
  void set_meta_json(std::string json) { meta_json_ = std::move(json); }
  void AddChild(std::unique_ptr<Spec> child) { children_.push_back(std::move(child)); }

  virtual bool accepts_children() const { return true; }
  // One bucket at most for each bucket of the parent: what an order path may descend through.
  virtual bool single_bucket() const { return false; }
  virtual bool top_level_only() const { return false; }
  // This aggregation alone; callers walk the tree.
  virtual Status Validate(const SearchTarget& target, const SearchEnvironment& environment) const = 0;
  // Whether a parent may order its buckets by path.names[depth..] with this spec at `depth`.
  virtual Status CheckOrder(const OrderPath& path, size_t depth) const;
  virtual Result<std::unique_ptr<Collector>> NewCollector(const CollectContext& context) const = 0;
  virtual std::unique_ptr<Reduction> NewReduction() const = 0;

 private:
  const std::string type_, name_;
  std::string meta_json_;
  std::vector<std::unique_ptr<Spec>> children_;
};

// The collectors below one bucket aggregation (or at the root), fed together.
class ChildCollectors {
 public:
  static Result<ChildCollectors> Make(const Spec& parent, const CollectContext& context);
  static Result<ChildCollectors> Make(std::span<const std::unique_ptr<Spec>> specs, const CollectContext& context);
  bool empty() const { return collectors_.empty(); }
  Status Collect(const Batch& batch);
  Status Finish(uint32_t bucket_count, Partial& parent);
  uint64_t memory_bytes() const;

 private:
  std::vector<std::unique_ptr<Collector>> collectors_;
};

// The reductions below one bucket aggregation (or at the root).
class ChildReductions {
 public:
  explicit ChildReductions(std::span<const std::unique_ptr<Spec>> specs);
  // `maps[i]`: merged bucket for each bucket of inputs[i], whose partials carry the children. Moves the maps.
  Status Merge(std::span<MergeInput> inputs, std::vector<std::vector<uint32_t>> maps, uint32_t bucket_count,
               const ReduceContext& context);
  // Writes "name":{…} of every child into the open object of a bucket.
  Status Write(uint32_t bucket, WriteContext& context, json::Writer& writer) const;
  double SortValue(uint32_t bucket, const OrderPath& path, size_t depth) const;

 private:
  std::span<const std::unique_ptr<Spec>> specs_;
  std::vector<std::unique_ptr<Reduction>> reductions_;
};

// Counts a bucket about to be written against the limit of one response.
Status CountBucket(WriteContext& context);

}  // namespace tiercel::search::aggs
