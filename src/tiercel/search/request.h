// SearchRequest: a search as it was asked, parsed and checked as far as that goes without an index.
//
// Thread safety: immutable once parsed. Lifetime: borrows the JSON body it was parsed from, which must outlive it; what
// came from the URL is copied.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/json/value.h"
#include "tiercel/search/aggregation.h"
#include "tiercel/search/search.h"
#include "tiercel/search/sort_spec.h"
#include "tiercel/search/vector_query.h"

namespace tiercel::search {

inline constexpr int64_t kTotalHitsExact = INT64_MAX;
inline constexpr int64_t kTotalHitsOff = -1;
inline constexpr int64_t kTotalHitsDefault = 10000;

struct UriQuery {
  std::string text;
  std::string default_operator;
  std::string default_field;
};

// An entry of "docvalue_fields" or "fields".
struct FieldAndFormat {
  std::string field;  // may hold '*'
  std::string format;
};

// A source of ranked documents. A plain search is a standard one whose children are empty.
struct Retriever {
  enum class Kind : uint8_t { kStandard, kKnn, kRrf } kind = Kind::kStandard;
  std::string name;
  std::optional<float> min_score;
  std::vector<json::Value> filters;

  json::Value query;           // kStandard; does not exist: match_all
  std::vector<SortSpec> sort;  // kStandard
  std::vector<json::Value> search_after;
  uint32_t terminate_after = 0;
  KnnClause knn;                    // kKnn
  std::vector<Retriever> children;  // kRrf
  uint32_t rank_constant = 60;
  uint32_t rank_window_size = 10;
};

struct SearchRequest {
  json::Value query;  // does not exist: match_all, or the documents of knn
  std::optional<UriQuery> uri_query;
  std::vector<KnnClause> knn;
  std::optional<Retriever> rrf;      // a ranked fusion; standard and knn retrievers are folded into the members here
  std::vector<json::Value> filters;  // of a standard retriever

  uint32_t from = 0;
  uint32_t size = 10;
  std::vector<SortSpec> sort;  // empty: by score
  std::vector<json::Value> search_after;
  int64_t track_total_hits = kTotalHitsDefault;  // count up to here
  bool total_hits_as_int = false;
  bool allow_partial = true;
  bool track_scores = false;
  std::optional<float> min_score;
  json::Value post_filter;
  uint32_t terminate_after = 0;  // documents a shard; 0: all
  std::optional<int64_t> timeout_ms;

  std::shared_ptr<const AggregationSet> aggregations;
  bool typed_keys = false;

  SourceFilter source;
  bool source_requested = false;  // explicitly, in whatever form
  bool exclude_vectors = false;   // "_source": {"exclude_vectors": true}
  std::vector<FieldAndFormat> docvalue_fields;
  std::vector<FieldAndFormat> fields;
  bool stored_fields_none = false;  // "_none_": neither id nor source
  bool version = false;
  bool seq_no_primary_term = false;

  bool by_score() const { return sort.empty(); }
};

// "retriever": kinds standard, knn and rrf. `size` gives rrf its default window. (retriever_request.cc)
Result<Retriever> ParseRetriever(json::Value retriever, uint32_t size);
// "docvalue_fields" and "fields". (field_and_format.cc)
Result<std::vector<FieldAndFormat>> ParseFieldsAndFormats(json::Value list, std::string_view key);

}  // namespace tiercel::search
