// Field: one mapped field of an index, and how its values are encoded in columns.
//
// Thread safety: immutable values inside an immutable Mapping.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tiercel::mapping {

enum class FieldType : uint8_t {
  kText,
  kKeyword,
  kLong,
  kInteger,
  kShort,
  kByte,
  kUnsignedLong,
  kDouble,
  kFloat,
  kHalfFloat,
  kScaledFloat,
  kBoolean,
  kDate,
  kIp,
  kDenseVector,
  kObject,
  kNested,
};

// "text", "half_float", ...
std::string_view TypeName(FieldType type);
std::optional<FieldType> FindType(std::string_view name);

// How a number becomes the int64 that columns store and compare. Every encoding keeps the order of the values.
enum class NumericEncoding : uint8_t {
  kInt64,   // byte, short, integer, long; date in ms; boolean as 0 and 1; scaled_float as round(value * factor)
  kUint64,  // unsigned_long, sign bit flipped
  kDouble,  // IEEE bits made sortable (EncodeDouble)
  kFloat,   // 32-bit float and half_float, bits made sortable in 32 bits (EncodeFloat)
};
int64_t EncodeDouble(double value);
double DecodeDouble(int64_t encoded);
int64_t EncodeFloat(float value);
float DecodeFloat(int64_t encoded);
// The stored number as a double, whatever its encoding (scaled_float: before dividing by the factor).
double DecodeToDouble(NumericEncoding encoding, int64_t encoded);

enum class ElementType : uint8_t { kFloat, kByte, kBit };
enum class Similarity : uint8_t { kCosine, kDotProduct, kL2Norm, kMaxInnerProduct };
std::string_view SimilarityName(Similarity similarity);
std::string_view ElementTypeName(ElementType element);

using FieldId = uint32_t;

struct VectorOptions {
  uint32_t dims = 0;  // 0: not fixed yet; bits for kBit
  ElementType element = ElementType::kFloat;
  Similarity similarity = Similarity::kCosine;
  bool indexed = true;             // index:false fields can be scored by scripts only
  std::string index_options_json;  // as given or defaulted, echoed by GET _mapping; empty when not indexed

  // Bytes of one stored vector.
  uint32_t bytes() const {
    return element == ElementType::kFloat ? dims * 4 : element == ElementType::kByte ? dims : dims / 8;
  }
};

struct Field {
  FieldId id = 0;
  std::string name;  // full path: "obj.size", "title.raw"
  FieldType type = FieldType::kObject;
  bool index = true;       // searchable
  bool doc_values = true;  // sortable and aggregatable
  bool norms = true;       // text only
  bool coerce = true;
  bool ignore_malformed = false;
  bool multi_field = false;    // a sub-field under "fields"
  bool inside_nested = false;  // below a nested object: stored in _source, not searchable from the root
  std::optional<uint32_t> ignore_above;
  std::optional<std::string> null_value_json;
  double scaling_factor = 1;
  std::string format;    // date; empty means strict_date_optional_time||epoch_millis
  std::string analyzer;  // text; empty means standard
  std::string search_analyzer;
  VectorOptions vector;
  std::vector<FieldId> multi_fields;  // fed with the same value
  std::vector<FieldId> copy_to;

  bool is_integer_like() const {
    return type == FieldType::kLong || type == FieldType::kInteger || type == FieldType::kShort ||
           type == FieldType::kByte || type == FieldType::kUnsignedLong;
  }
  bool is_number() const {
    return is_integer_like() || type == FieldType::kDouble || type == FieldType::kFloat ||
           type == FieldType::kHalfFloat || type == FieldType::kScaledFloat;
  }
  // Stored in a numeric column: numbers, boolean and date.
  bool is_numeric_column() const { return is_number() || type == FieldType::kBoolean || type == FieldType::kDate; }
  // Stored in a dictionary column: keyword and ip (16 bytes, IPv4 mapped, so that byte order is address order).
  bool is_keyword_column() const { return type == FieldType::kKeyword || type == FieldType::kIp; }
  bool is_leaf() const { return type != FieldType::kObject && type != FieldType::kNested; }
  NumericEncoding encoding() const;
};

}  // namespace tiercel::mapping
