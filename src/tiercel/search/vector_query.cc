#include "tiercel/search/vector_query.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "tiercel/json/writer.h"
#include "tiercel/search/vector_text.h"
#include "tiercel/simd/distance.h"

namespace tiercel::search {
namespace {

using mapping::ElementType;
using mapping::Similarity;

std::string Preview(const std::vector<float>& vector) {
  constexpr size_t kShown = 5;
  std::string text = "Preview of invalid vector: [";
  for (size_t i = 0; i < std::min(vector.size(), kShown); ++i) {
    if (i > 0) text += ", ";
    std::string number;
    if (std::isnan(vector[i]))
      number = "NaN";
    else if (std::isinf(vector[i]))
      number = vector[i] > 0 ? "Infinity" : "-Infinity";
    else
      json::AppendFloat(vector[i], number);
    text += number;
  }
  return text + (vector.size() >= kShown ? ", ...]" : "]");
}

std::string FloatText(float value) {
  std::string text;
  json::AppendFloat(value, text);
  return text;
}

Status WrongDims(uint64_t given, uint32_t dims) {
  return InvalidArgument("The query vector has a different number of dimensions [" + std::to_string(given) +
                         "] than the document vectors [" + std::to_string(dims) + "].");
}

Status CheckFinite(const std::vector<float>& vector) {
  for (size_t i = 0; i < vector.size(); ++i) {
    if (std::isfinite(vector[i])) continue;
    const bool nan = std::isnan(vector[i]);
    return InvalidArgument("element_type [float] vectors do not support " + std::string(nan ? "NaN" : "infinite") +
                           " values but found [" +
                           (nan             ? "NaN"
                            : vector[i] > 0 ? "Infinity"
                                            : "-Infinity") +
                           "] at dim [" + std::to_string(i) + "]; " + Preview(vector));
  }
  return {};
}

// Numbers as signed bytes, for byte and bit fields.
Result<std::vector<uint8_t>> ToBytes(const std::vector<float>& vector) {
  std::vector<uint8_t> bytes;
  bytes.reserve(vector.size());
  for (size_t i = 0; i < vector.size(); ++i) {
    const float value = vector[i];
    if (!(value >= -128 && value <= 127)) {
      return InvalidArgument("element_type [byte] vectors only support integers between [-128, 127] but found [" +
                             FloatText(value) + "] at dim [" + std::to_string(i) + "]; " + Preview(vector));
    }
    if (value != std::trunc(value)) {
      return InvalidArgument("element_type [byte] vectors only support non-decimal values but found decimal value [" +
                             FloatText(value) + "] at dim [" + std::to_string(i) + "]; " + Preview(vector));
    }
    bytes.push_back(static_cast<uint8_t>(static_cast<int8_t>(value)));
  }
  return bytes;
}

std::vector<float> ToFloats(const std::string& bytes) {
  std::vector<float> floats;
  for (const char c : bytes) floats.push_back(static_cast<float>(static_cast<signed char>(c)));
  return floats;
}

// A string for a float field: hex bytes taken as numbers, or base64 of big-endian float32.
Result<std::vector<float>> DecodeFloats(const std::string& encoded, uint32_t dims) {
  const std::optional<std::string> hex = DecodeHex(encoded);
  if (hex && hex->size() == dims) return ToFloats(*hex);
  const std::optional<std::string> raw = DecodeBase64(encoded);
  if (raw && raw->size() == size_t{dims} * 4) {
    std::vector<float> floats(dims);
    for (uint32_t i = 0; i < dims; ++i) {
      uint32_t bits;
      std::memcpy(&bits, raw->data() + size_t{i} * 4, 4);
      floats[i] = std::bit_cast<float>(__builtin_bswap32(bits));
    }
    return floats;
  }
  return WrongDims(hex ? hex->size() : raw ? raw->size() / 4 : 0, dims);
}

Result<std::vector<uint8_t>> DecodeBytes(const std::string& encoded, uint32_t bytes, uint32_t dims) {
  const std::optional<std::string> hex = DecodeHex(encoded);
  const std::optional<std::string> raw = hex && hex->size() == bytes ? hex : DecodeBase64(encoded);
  if (raw && raw->size() == bytes) return std::vector<uint8_t>(raw->begin(), raw->end());
  const uint64_t given = hex ? hex->size() : raw ? raw->size() : 0;
  return WrongDims(given * (dims / bytes), dims);
}

// Whether the field's "index_options" name one of the indices that Elasticsearch searches exactly.
bool IsFlat(const mapping::VectorOptions& options) {
  const Result<json::Document> document = json::Document::Parse(options.index_options_json);
  const std::string type = document.ok() ? document->root()["type"].ToDisplayString() : "";
  return type == "flat" || type == "int8_flat" || type == "int4_flat";
}

Status BindFloats(const QueryVector& vector, VectorQuery& query) {
  if (vector.encoded.empty()) {
    query.floats = vector.numbers;
  } else {
    TIERCEL_TRY_ASSIGN(query.floats, DecodeFloats(vector.encoded, query.dims));
  }
  if (query.floats.size() != query.dims) return WrongDims(query.floats.size(), query.dims);
  TIERCEL_TRY(CheckFinite(query.floats));
  const float squared = simd::DotF32(query.floats.data(), query.floats.data(), query.dims);
  if (query.similarity == Similarity::kDotProduct && !IsUnitLength(squared)) {
    return InvalidArgument("The [dot_product] similarity can only be used with unit-length vectors. " +
                           Preview(query.floats));
  }
  if (query.similarity == Similarity::kCosine) {
    if (squared == 0)
      return InvalidArgument("The [cosine] similarity does not support vectors with zero magnitude. " +
                             Preview(query.floats));
    const float inverse = IsUnitLength(squared) ? 1 : 1 / std::sqrt(squared);
    for (float& value : query.floats) value *= inverse;
  }
  return {};
}

Status BindBytes(const QueryVector& vector, uint32_t bytes, VectorQuery& query) {
  if (vector.encoded.empty()) {
    if (vector.numbers.size() != bytes)
      return WrongDims(uint64_t{vector.numbers.size()} * (query.dims / bytes), query.dims);
    TIERCEL_TRY_ASSIGN(query.bytes, ToBytes(vector.numbers));
  } else {
    TIERCEL_TRY_ASSIGN(query.bytes, DecodeBytes(vector.encoded, bytes, query.dims));
  }
  if (query.element != ElementType::kByte || query.similarity != Similarity::kCosine) return {};
  const auto* values = reinterpret_cast<const int8_t*>(query.bytes.data());
  const int32_t squared = simd::DotI8(values, values, bytes);
  if (squared == 0) {
    const std::vector<float> shown(values, values + bytes);
    return InvalidArgument("The [cosine] similarity does not support vectors with zero magnitude. " + Preview(shown));
  }
  query.inverse_magnitude = 1 / std::sqrt(static_cast<float>(squared));
  return {};
}

}  // namespace

float VectorQuery::Score(float raw) const {
  if (element == ElementType::kBit) return (static_cast<float>(dims) - raw) / static_cast<float>(dims);
  switch (similarity) {
    case Similarity::kL2Norm:
      return 1 / (1 + raw);
    case Similarity::kCosine:
      return std::max((1 + raw) / 2, 0.0f);
    case Similarity::kDotProduct:
      if (element == ElementType::kByte) return 0.5f + raw / static_cast<float>(dims * 32768);
      return std::max((1 + raw) / 2, 0.0f);
    case Similarity::kMaxInnerProduct:
      return raw < 0 ? 1 / (1 - raw) : raw + 1;
  }
  return 0;
}

float VectorQuery::ScoreOfCutOff(float value) const {
  return Score(element != ElementType::kBit && similarity == Similarity::kL2Norm ? value * value : value);
}

Result<std::optional<VectorQuery>> BindVector(const KnnClause& clause, const mapping::Mapping& mapping) {
  const mapping::Field* field = mapping.Find(clause.field);
  if (field == nullptr || !field->is_leaf()) return std::optional<VectorQuery>();
  if (field->type != mapping::FieldType::kDenseVector)
    return InvalidArgument("[knn] queries are only supported on [dense_vector] fields");
  const mapping::VectorOptions& options = field->vector;
  if (!options.indexed) {
    return InvalidArgument("to perform knn search on field [" + clause.field +
                           "], its mapping must have [index] set to [true]");
  }
  if (field->inside_nested)
    return Unimplemented("kNN search on [" + clause.field + "] inside a nested object is not supported");
  if (options.dims == 0) return std::optional<VectorQuery>();
  VectorQuery query;
  query.element = options.element;
  query.similarity = options.similarity;
  query.dims = options.dims;
  query.flat = IsFlat(options);
  if (query.element == ElementType::kFloat) {
    TIERCEL_TRY(BindFloats(clause.vector, query));
  } else {
    TIERCEL_TRY(BindBytes(clause.vector, options.bytes(), query));
  }
  return std::optional(std::move(query));
}

}  // namespace tiercel::search
