// KnnClause: a kNN search as it was asked; VectorQuery: its query vector made ready for one field.
//
// Thread safety: values. Lifetime: `filters` borrow the request's JSON.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/json/value.h"
#include "tiercel/mapping/mapping.h"

namespace tiercel::search {

// As given: numbers, or the bytes of a hex string, or a base64 string that only the field can tell how to read.
struct QueryVector {
  std::vector<float> numbers;
  std::string encoded;  // unless empty, the string form
};

struct KnnClause {
  std::string field;
  QueryVector vector;
  std::optional<uint32_t> k;
  std::optional<uint32_t> num_candidates;
  std::optional<float> similarity;  // cut-off in the field's raw measure
  float boost = 1;
  std::string name;
  std::vector<json::Value> filters;
};

// Where a clause stands decides which keys it may have and who words its errors.
enum class KnnForm { kTopLevel, kQuery, kRetriever };

// The object after "knn". `size` gives k its default.
Result<KnnClause> ParseKnnClause(json::Value knn, KnnForm form, uint32_t size);

// Elasticsearch takes float vectors for unit-length when their squared length is this close to 1, and then does not
// divide by it.
inline bool IsUnitLength(float squared_length) { return std::abs(squared_length - 1) <= 1e-3f; }

// A query vector of a field's element type and length, checked as Elasticsearch does.
struct VectorQuery {
  mapping::ElementType element = mapping::ElementType::kFloat;
  mapping::Similarity similarity = mapping::Similarity::kCosine;
  uint32_t dims = 0;            // bits for kBit
  std::vector<float> floats;    // kFloat; for cosine of unit length
  std::vector<uint8_t> bytes;   // kByte (as int8) and kBit
  float inverse_magnitude = 1;  // kByte with cosine
  bool flat = false;            // the field's index is an exact one by its options

  // The factor that turns a dot product with a row of that length into a cosine.
  float CosineFactor(float magnitude) const {
    if (element == mapping::ElementType::kFloat && IsUnitLength(magnitude * magnitude)) return 1;
    return inverse_magnitude / magnitude;
  }
  bool smaller_is_better() const {
    return element == mapping::ElementType::kBit || similarity == mapping::Similarity::kL2Norm;
  }

  // `_score` of a row whose raw measure is `raw`: dot product, squared distance, cosine or differing bits.
  float Score(float raw) const;
  // `_score` at a cut-off given as the "similarity" parameter, a distance for l2_norm.
  float ScoreOfCutOff(float similarity_value) const;
};

// Nothing when the field is unmapped or has no vectors yet: such a search has no hits. Errors: InvalidArgument as a
// shard words them.
Result<std::optional<VectorQuery>> BindVector(const KnnClause& clause, const mapping::Mapping& mapping);

}  // namespace tiercel::search
