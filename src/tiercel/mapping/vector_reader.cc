#include "tiercel/mapping/vector_reader.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include "tiercel/json/writer.h"

namespace tiercel::mapping {
namespace {

constexpr uint32_t kDimsMax = 4096;
constexpr double kUnitTolerance = 1e-3;  // of the squared length
constexpr size_t kPreviewMax = 5;

Status Illegal(std::string message) {
  return InvalidArgument(std::move(message)).WithType("illegal_argument_exception");
}

float FloatAt(ByteSpan bytes, size_t index) {
  float value = 0;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return value;
}

void AppendFloatBytes(float value, Bytes& out) {
  const size_t at = out.size();
  out.resize(at + sizeof value);
  std::memcpy(out.data() + at, &value, sizeof value);
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

int Base64Digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

std::optional<Bytes> DecodeBase64(std::string_view text) {
  if (text.size() % 4 != 0 || text.empty()) return std::nullopt;
  size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  Bytes out;
  out.reserve(text.size() * 3 / 4);
  uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const int digit = Base64Digit(c);
    if (digit < 0) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out.push_back(static_cast<uint8_t>(bits >> held));
  }
  return out;
}

double SquaredLength(const VectorOptions& options, ByteSpan bytes) {
  double sum = 0;
  if (options.element == ElementType::kFloat) {
    for (size_t i = 0; i < bytes.size() / sizeof(float); ++i)
      sum += static_cast<double>(FloatAt(bytes, i)) * FloatAt(bytes, i);
  } else {
    for (const uint8_t byte : bytes) sum += static_cast<int8_t>(byte) * static_cast<int8_t>(byte);
  }
  return sum;
}

}  // namespace

std::string PreviewVector(ElementType element, ByteSpan bytes) {
  const size_t count = element == ElementType::kFloat ? bytes.size() / sizeof(float) : bytes.size();
  std::string out = "[";
  for (size_t i = 0; i < std::min(count, kPreviewMax); ++i) {
    if (i > 0) out += ", ";
    if (element == ElementType::kFloat)
      json::AppendFloat(FloatAt(bytes, i), out);
    else
      out += std::to_string(static_cast<int8_t>(bytes[i]));
  }
  return out + (count > kPreviewMax ? ", ...]" : "]");
}

Status CheckVector(const VectorOptions& options, ByteSpan bytes) {
  if (options.element == ElementType::kFloat) {
    for (size_t i = 0; i < bytes.size() / sizeof(float); ++i) {
      const float value = FloatAt(bytes, i);
      if (std::isfinite(value)) continue;
      std::string shown;
      json::AppendFloat(value, shown);
      return Illegal("element_type [float] vectors do not support " +
                     std::string(std::isnan(value) ? "NaN" : "infinite") + " values but found [" + shown +
                     "] at dim [" + std::to_string(i) +
                     "]; Preview of invalid vector: " + PreviewVector(options.element, bytes));
    }
  }
  if (!options.indexed || options.element == ElementType::kBit) return {};
  if (options.similarity == Similarity::kDotProduct && options.element == ElementType::kFloat) {
    if (std::fabs(SquaredLength(options, bytes) - 1) > kUnitTolerance) {
      return Illegal(
          "The [dot_product] similarity can only be used with unit-length vectors. Preview of invalid vector: " +
          PreviewVector(options.element, bytes));
    }
  }
  if (options.similarity == Similarity::kCosine && SquaredLength(options, bytes) == 0) {
    return Illegal("The [" + std::string(SimilarityName(options.similarity)) +
                   "] similarity does not support vectors with zero magnitude. Preview of invalid vector: " +
                   PreviewVector(options.element, bytes));
  }
  return {};
}

bool VectorReader::Read(json::Value value, Bytes& out) {
  dims_ = 0;
  if (value.is_array()) return ReadArray(value, out);
  if (value.is_string()) return ReadString(value, out);
  if (field_.vector.element != ElementType::kFloat) {
    if (value.is_object()) {
      const auto [line, column] = value.line_column();
      return Fail(value.offset(), Illegal("Expected text at " + std::to_string(line) + ":" + std::to_string(column) +
                                          " but found START_OBJECT"));
    }
    return Fail(value.offset(), InvalidArgument("Unsupported type [" + std::string(json::TokenName(value.type())) +
                                                "] for provided value [" + value.ToDisplayString() + "]")
                                    .WithType("parsing_exception"));
  }
  if (value.is_object()) {
    const bool empty = value.empty();
    return NotANumber(value.offset() + 1, empty ? "END_OBJECT" : "FIELD_NAME");
  }
  uint64_t next = value.offset() + value.raw().size();
  while (next < text_.size() && std::string_view(" \t\r\n,").find(text_[next]) != std::string_view::npos) ++next;
  return NotANumber(next, next < text_.size() && text_[next] == '"' ? "FIELD_NAME" : "END_OBJECT");
}

bool VectorReader::ReadArray(json::Value value, Bytes& out) {
  const size_t first = out.size();
  const uint32_t limit = field_.vector.element == ElementType::kBit ? field_.vector.dims / 8 : field_.vector.dims;
  uint32_t count = 0;
  for (const json::Value element : value.elements()) {
    if (!element.is_number()) {
      const json::Type type = element.type();
      return NotANumber(element.offset(), type == json::Type::kBool ? "VALUE_BOOLEAN" : json::TokenName(type));
    }
    if (limit != 0 && count >= limit) {
      return Fail(element.offset(), Illegal("The [dense_vector] field [" + field_.name + "] in doc [" + DocumentName() +
                                            "] has more dimensions than defined in the mapping [" +
                                            std::to_string(field_.vector.dims) + "]"));
    }
    if (!ReadElement(element, out)) return false;
    ++count;
    dims_ += field_.vector.element == ElementType::kBit ? 8 : 1;
  }
  return Finish(value.offset() + value.raw().size() - 1, first, out);
}

bool VectorReader::ReadElement(json::Value element, Bytes& out) {
  if (field_.vector.element == ElementType::kFloat) {
    const std::string_view raw = element.raw();
    float value = 0;
    // Short numbers are exact as doubles, so that narrowing them rounds once; others are read as floats from the start.
    if (element.is_integer() || raw.size() <= 16)
      value = static_cast<float>(element.as_double());
    else if (std::from_chars(raw.data(), raw.data() + raw.size(), value).ec != std::errc())
      value = static_cast<float>(element.as_double());
    AppendFloatBytes(value, out);
    return true;
  }
  const double value = element.as_double();
  const std::string kind(ElementTypeName(field_.vector.element));
  const std::string place =
      "] at dim [" + std::to_string(dims_ / (field_.vector.element == ElementType::kBit ? 8 : 1)) + "];";
  if (value != std::floor(value)) {
    std::string shown;
    json::AppendFloat(static_cast<float>(value), shown);
    return Fail(element.offset(),
                Illegal("element_type [" + kind +
                        "] vectors only support non-decimal values but found decimal value [" + shown + place));
  }
  if (value < -128 || value > 127) {
    return Fail(element.offset(),
                Illegal("element_type [" + kind + "] vectors only support integers between [-128, 127] but found [" +
                        std::to_string(static_cast<int64_t>(std::fmax(std::fmin(value, 1e18), -1e18))) + place));
  }
  out.push_back(static_cast<uint8_t>(static_cast<int8_t>(value)));
  return true;
}

bool VectorReader::ReadString(json::Value value, Bytes& out) {
  const size_t first = out.size();
  const std::string_view text = value.as_string();
  if (field_.vector.element == ElementType::kFloat) {
    const auto decoded = DecodeBase64(text);
    if (!decoded || decoded->size() % sizeof(float) != 0) {
      uint64_t next = value.offset() + value.raw().size();
      while (next < text_.size() && std::string_view(" \t\r\n,").find(text_[next]) != std::string_view::npos) ++next;
      return NotANumber(next, next < text_.size() && text_[next] == '"' ? "FIELD_NAME" : "END_OBJECT");
    }
    for (size_t i = 0; i < decoded->size(); i += sizeof(float)) {
      uint32_t bits = 0;
      for (size_t j = 0; j < sizeof(float); ++j) bits = bits << 8 | (*decoded)[i + j];
      AppendFloatBytes(std::bit_cast<float>(bits), out);
    }
    dims_ = static_cast<uint32_t>(decoded->size() / sizeof(float));
    return Finish(value.offset(), first, out);
  }
  const uint32_t bits_each = field_.vector.element == ElementType::kBit ? 8 : 1;
  const size_t bad = text.find_first_not_of("0123456789abcdefABCDEF");
  const bool hex = bad == std::string_view::npos && text.size() % 2 == 0;
  const auto decoded = hex ? std::optional<Bytes>() : DecodeBase64(text);
  const bool base64_fits = decoded && field_.vector.dims != 0 && decoded->size() * bits_each == field_.vector.dims;
  if (!hex && !base64_fits) {
    if (bad == std::string_view::npos) {
      return Fail(value.offset(), Illegal("string length not even: " + std::to_string(text.size())));
    }
    const std::string shown(1, text[bad]);
    return Fail(value.offset(), InvalidArgument("not a hexadecimal digit: \"" + shown +
                                                "\" = " + std::to_string(static_cast<unsigned char>(text[bad])))
                                    .WithType("number_format_exception"));
  }
  if (base64_fits) out.insert(out.end(), decoded->begin(), decoded->end());
  for (size_t i = 0; hex && i < text.size(); i += 2)
    out.push_back(static_cast<uint8_t>(HexDigit(text[i]) * 16 + HexDigit(text[i + 1])));
  dims_ = static_cast<uint32_t>(out.size() - first) * bits_each;
  return Finish(value.offset(), first, out);
}

bool VectorReader::Finish(uint64_t end, size_t first, const Bytes& out) {
  if (field_.vector.dims == 0) {
    const uint32_t most = field_.vector.element == ElementType::kBit ? kDimsMax * 8 : kDimsMax;
    if (dims_ == 0 || dims_ > most) {
      return Fail(end, InvalidArgument("The number of dimensions should be in the range [1, " + std::to_string(most) +
                                       "] but was [" + std::to_string(dims_) + "]")
                           .WithType("mapper_parsing_exception"));
    }
  } else if (dims_ != field_.vector.dims) {
    return Fail(end, Illegal("The [dense_vector] field [" + field_.name + "] in doc [" + DocumentName() +
                             "] has a different number of dimensions [" + std::to_string(dims_) +
                             "] than defined in the mapping [" + std::to_string(field_.vector.dims) + "]"));
  }
  Status bad = CheckVector(field_.vector, ByteSpan(out).subspan(first));
  return bad.ok() || Fail(end, std::move(bad));
}

bool VectorReader::Fail(uint64_t offset, Status status) {
  error_ = {std::move(status), offset};
  return false;
}

bool VectorReader::NotANumber(uint64_t offset, std::string_view token) {
  return Fail(offset, InvalidArgument("Failed to parse object: expecting token of type [VALUE_NUMBER] but found [" +
                                      std::string(token) + "]")
                          .WithType("parsing_exception"));
}

std::string VectorReader::DocumentName() const { return "document with id '" + std::string(id_) + "'"; }

}  // namespace tiercel::mapping
