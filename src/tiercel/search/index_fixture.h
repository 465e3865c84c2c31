// For the tests of search: an index of a few segments in memory, made from JSON documents the way a shard makes it.
//
//   IndexFixture index(R"({"properties":{"title":{"type":"text"}}})");
//   index.AddSegment({R"({"title":"alpha"})"});   // ids count up from "0"
//   index.Delete("0");
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tiercel/mapping/mapping.h"
#include "tiercel/search/query.h"
#include "tiercel/search/search.h"
#include "tiercel/segment/source.h"

namespace tiercel::search {

class IndexFixture {
 public:
  explicit IndexFixture(std::string_view mapping_json);

  void AddSegment(const std::vector<std::string>& sources);
  void Delete(std::string_view id);

  const SearchTarget& target() const { return target_; }
  const std::vector<segment::SegmentView>& segments() const { return segments_; }
  QueryContext context() const;

  // Hits of a query over all live documents, walked with Next, in document order.
  struct Hit {
    std::string id;
    float score;
    bool operator==(const Hit&) const = default;
  };
  std::vector<Hit> Search(std::string_view query_json) const;
  // "type: reason <- type: reason" of a query that is refused, "[line:col]" where the error has a position; "accepted"
  // otherwise.
  std::string Refusal(std::string_view query_json) const;

 private:
  void Publish();

  SearchTarget target_;
  std::vector<segment::SegmentView> segments_;
  uint32_t next_id_ = 0;
};

// Four documents with every field type, spread over so many segments.
IndexFixture SmallIndex(size_t segments);

}  // namespace tiercel::search
