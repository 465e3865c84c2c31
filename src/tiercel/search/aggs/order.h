// The "order" of bucket aggregations: by document count, key, or values of sub-aggregations.
//
// Thread safety: immutable once parsed.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tiercel/search/aggs/node.h"
#include "tiercel/search/aggs/parse.h"

namespace tiercel::search::aggs {

class BucketOrder {
 public:
  static BucketOrder CountDescending();  // ties by ascending key
  static BucketOrder KeyAscending();
  // {"_count":"desc"}, {"s.avg":"asc"}, or an array of such; equal buckets go by ascending key unless the order ends
  // with the key.
  static Result<BucketOrder> Parse(const Parameter& parameter);

  // invalid_path when `spec` has no such sub-aggregation or it cannot be ordered by.
  Status Validate(const Spec& spec) const;

  // What leads the order.
  bool by_key() const { return elements_.front().by == By::kKey; }
  bool by_count_descending() const { return elements_.front().by == By::kCount && !elements_.front().ascending; }
  bool by_key_only(bool ascending) const {
    return elements_.size() == 1 && by_key() && elements_.front().ascending == ascending;
  }

  // What Sort needs to know of one bucket.
  struct Entry {
    uint32_t bucket;  // kNoBucket: no document was ever in it
    uint64_t count;
    int64_t key;  // ascends as keys do
  };
  // The first `limit` of `entries` in order come first; the rest follow unordered.
  void Sort(std::span<Entry> entries, size_t limit, const ChildReductions& children) const;

 private:
  enum class By : uint8_t { kCount, kKey, kPath };
  struct Element {
    By by = By::kCount;
    bool ascending = true;
    OrderPath path;
  };
  static Result<Element> ParseElement(std::string_view key, const Parameter& parameter, json::Value direction);
  static Status ParseObject(const Parameter& parameter, json::Value object, std::vector<Element>& elements);
  static int CompareCountOrKey(const Element& element, const Entry& a, const Entry& b);
  void SortByPaths(std::span<Entry> entries, size_t limit, const ChildReductions& children) const;

  std::vector<Element> elements_;
};

// Shared by metrics: the messages for order paths that end in them.
Status CheckSingleValueOrder(const OrderPath& path);
Status CheckMultiValueOrder(const OrderPath& path, std::span<const std::string_view> metrics);
Status InvalidOrderPath(const OrderPath& path, std::string reason);

}  // namespace tiercel::search::aggs
