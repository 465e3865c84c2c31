#include "tiercel/loader/vector_file.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "tiercel/json/writer.h"

namespace tiercel::loader {

float HalfToFloat(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const uint32_t exponent = (half >> 10) & 0x1f;
  const uint32_t mantissa = half & 0x3ff;
  if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24
    const float value = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -value : value;
  }
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

Result<VectorColumnSpec> VectorColumnSpec::Parse(const std::string& text) {
  const size_t equals = text.find('=');
  const size_t colon = text.rfind(':');
  VectorColumnSpec spec;
  if (equals != std::string::npos && equals > 0 && colon != std::string::npos && colon > equals + 1) {
    spec.field = text.substr(0, equals);
    spec.path = text.substr(equals + 1, colon - equals - 1);
    const auto [end, error] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), spec.dims);
    if (error == std::errc() && end == text.data() + text.size() && spec.dims > 0 && spec.dims <= 65536) return spec;
  }
  return InvalidArgument("expected FIELD=FILE:DIMS (as in embedding=vectors.f16:384) but got '" + text + "'");
}

VectorFile::VectorFile(VectorColumnSpec spec, std::unique_ptr<ByteSource> source, bool half)
    : spec_(std::move(spec)), source_(std::move(source)), half_(half), bytes_(spec_.dims * (half ? 2 : 4)) {}

Result<VectorFile> VectorFile::Open(const VectorColumnSpec& spec) {
  const bool half = spec.path.find(".f16") != std::string::npos;
  if (!half && spec.path.find(".f32") == std::string::npos) {
    return InvalidArgument(spec.path + ": the name must say .f16 or .f32, the type of the rows");
  }
  TIERCEL_TRY_ASSIGN(std::unique_ptr<ByteSource> source, ByteSource::Open(spec.path));
  return VectorFile(spec, std::move(source), half);
}

Status VectorFile::AddTo(std::string& document) {
  for (size_t have = 0; have < bytes_.size();) {
    TIERCEL_TRY_ASSIGN(const size_t got, source_->Read(std::span(bytes_).subspan(have)));
    if (got == 0)
      return InvalidArgument(spec_.path + ": has only " + std::to_string(row_) + " rows of " +
                             std::to_string(spec_.dims));
    have += got;
  }
  ++row_;
  const size_t brace = document.rfind('}');
  if (brace == std::string::npos) return InvalidArgument("document " + std::to_string(row_) + " is not a JSON object");
  document.resize(brace);
  const size_t last = document.find_last_not_of(" \t\r\n");
  if (last != std::string::npos && document[last] != '{') document += ',';
  json::AppendQuoted(spec_.field, document);
  document += ":[";
  for (uint32_t i = 0; i < spec_.dims; ++i) {
    float value;
    if (half_) {
      uint16_t half;
      std::memcpy(&half, bytes_.data() + i * 2, sizeof half);
      value = HalfToFloat(half);
    } else {
      std::memcpy(&value, bytes_.data() + i * 4, sizeof value);
    }
    if (!std::isfinite(value))
      return InvalidArgument(spec_.path + ": row " + std::to_string(row_) + " holds a number that is not finite");
    if (i > 0) document += ',';
    json::AppendFloat(value, document);
  }
  document += "]}";
  return {};
}

}  // namespace tiercel::loader
