#include "tiercel/mapping/field.h"

#include <bit>

namespace tiercel::mapping {
namespace {

constexpr std::string_view kTypeNames[] = {
    "text",       "keyword",      "long",    "integer", "short", "byte",         "unsigned_long", "double", "float",
    "half_float", "scaled_float", "boolean", "date",    "ip",    "dense_vector", "object",        "nested"};

}  // namespace

std::string_view TypeName(FieldType type) { return kTypeNames[static_cast<size_t>(type)]; }

std::optional<FieldType> FindType(std::string_view name) {
  for (size_t i = 0; i < std::size(kTypeNames); ++i) {
    if (kTypeNames[i] == name) return static_cast<FieldType>(i);
  }
  return std::nullopt;
}

std::string_view SimilarityName(Similarity similarity) {
  switch (similarity) {
    case Similarity::kCosine:
      return "cosine";
    case Similarity::kDotProduct:
      return "dot_product";
    case Similarity::kL2Norm:
      return "l2_norm";
    case Similarity::kMaxInnerProduct:
      return "max_inner_product";
  }
  return "";
}

std::string_view ElementTypeName(ElementType element) {
  switch (element) {
    case ElementType::kFloat:
      return "float";
    case ElementType::kByte:
      return "byte";
    case ElementType::kBit:
      return "bit";
  }
  return "";
}

// Negative numbers sort in reverse by their bits: flipping all bits but the sign puts them right.
int64_t EncodeDouble(double value) {
  const int64_t bits = std::bit_cast<int64_t>(value);
  return bits ^ ((bits >> 63) & INT64_MAX);
}

double DecodeDouble(int64_t encoded) { return std::bit_cast<double>(encoded ^ ((encoded >> 63) & INT64_MAX)); }

int64_t EncodeFloat(float value) {
  const int32_t bits = std::bit_cast<int32_t>(value);
  return bits ^ ((bits >> 31) & INT32_MAX);
}

float DecodeFloat(int64_t encoded) {
  const int32_t bits = static_cast<int32_t>(encoded);
  return std::bit_cast<float>(bits ^ ((bits >> 31) & INT32_MAX));
}

double DecodeToDouble(NumericEncoding encoding, int64_t encoded) {
  switch (encoding) {
    case NumericEncoding::kInt64:
      return static_cast<double>(encoded);
    case NumericEncoding::kUint64:
      return static_cast<double>(static_cast<uint64_t>(encoded) ^ (1ULL << 63));
    case NumericEncoding::kDouble:
      return DecodeDouble(encoded);
    case NumericEncoding::kFloat:
      return DecodeFloat(encoded);
  }
  return 0;
}

NumericEncoding Field::encoding() const {
  switch (type) {
    case FieldType::kUnsignedLong:
      return NumericEncoding::kUint64;
    case FieldType::kDouble:
      return NumericEncoding::kDouble;
    case FieldType::kFloat:
    case FieldType::kHalfFloat:
      return NumericEncoding::kFloat;
    default:
      return NumericEncoding::kInt64;
  }
}

}  // namespace tiercel::mapping
