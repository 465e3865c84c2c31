#include "tiercel/mapping/dynamic.h"

#include <re2/re2.h>

#include <charconv>

#include "tiercel/mapping/dates.h"

namespace tiercel::mapping {
namespace {

constexpr std::string_view kSlashFormats = "yyyy/MM/dd HH:mm:ss||yyyy/MM/dd||epoch_millis";

// The format that takes a string as a date under date detection, if any does.
std::optional<std::string> DetectDate(const RootOptions& options, std::string_view text) {
  if (!options.date_detection.value_or(true)) return std::nullopt;
  // Words and bare numbers are no dates, whatever a format would make of them.
  if (text.find_first_of("-/:") == std::string_view::npos || text.find_first_of("0123456789") == std::string_view::npos)
    return std::nullopt;
  if (!options.dynamic_date_formats_json.empty()) {
    for (const std::string& format : options.dynamic_date_formats) {
      const auto compiled = DateFormat::Compile(format);
      if (compiled.ok() && compiled.value().Parse(text, Rounding::kDown, TimeZone())) return format;
    }
    return std::nullopt;
  }
  if (text.find('/') == std::string_view::npos) {
    static const DateFormat iso = DateFormat::Compile("strict_date_optional_time").value();
    if (ParseIsoDate(text) || iso.Parse(text, Rounding::kDown, TimeZone())) return std::string();
    return std::nullopt;
  }
  static const DateFormat slashes = DateFormat::Compile("yyyy/MM/dd HH:mm:ss||yyyy/MM/dd").value();
  if (slashes.Parse(text, Rounding::kDown, TimeZone())) return std::string(kSlashFormats);
  return std::nullopt;
}

std::string DateDeclaration(const std::string& format) {
  if (format.empty()) return R"({"type":"date"})";
  std::string quoted;
  json::AppendQuoted(format, quoted);
  // The default formats for slashes were compiled without a language, which shows.
  const bool slashes = format == kSlashFormats;
  return R"({"type":"date","format":)" + quoted + (slashes ? R"(,"locale":""})" : "}");
}

std::string_view DetectNumber(const RootOptions& options, std::string_view text) {
  if (!options.numeric_detection.value_or(false) || text.empty()) return {};
  int64_t integer = 0;
  const auto whole = std::from_chars(text.data(), text.data() + text.size(), integer);
  if (whole.ec == std::errc() && whole.ptr == text.data() + text.size()) return "long";
  double real = 0;
  const auto decimal = std::from_chars(text.data(), text.data() + text.size(), real);
  if (decimal.ec == std::errc() && decimal.ptr == text.data() + text.size()) return "double";
  return {};
}

struct Detected {
  std::string_view match_type;
  std::string declaration;
};

Detected Detect(const RootOptions& options, json::Value value) {
  if (value.is_bool()) return {"boolean", R"({"type":"boolean"})"};
  if (value.is_number()) {
    const bool integer = value.is_integer() || !value.has_fraction_syntax();
    return integer ? Detected{"long", R"({"type":"long"})"} : Detected{"double", R"({"type":"float"})"};
  }
  const std::string_view text = value.as_string();
  if (const auto format = DetectDate(options, text)) return {"date", DateDeclaration(*format)};
  const std::string_view number = DetectNumber(options, text);
  if (number == "long") return {"long", R"({"type":"long"})"};
  if (number == "double") return {"double", R"({"type":"float"})"};
  return {"string", R"({"type":"text","fields":{"keyword":{"type":"keyword","ignore_above":256}}})"};
}

}  // namespace

// RE2 needs no more than linear time and bounded memory, whatever pattern and name a user brings.
bool MatchesRegex(const std::string& pattern, std::string_view text) {
  const re2::RE2 regex(pattern, re2::RE2::Quiet);
  return regex.ok() && re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), regex);
}

std::optional<std::string> DeclareDynamicField(const RootOptions& options, std::string_view path, std::string_view name,
                                               json::Value value) {
  Detected detected = Detect(options, value);
  const DynamicTemplate* chosen = FindTemplate(options, path, name, detected.match_type);
  if (chosen == nullptr) return std::move(detected.declaration);
  if (chosen->runtime) return std::nullopt;
  return FillTemplate(*chosen, name, detected.match_type);
}

std::optional<std::string> DeclareDynamicObject(const RootOptions& options, std::string_view path,
                                                std::string_view name) {
  const DynamicTemplate* chosen = FindTemplate(options, path, name, "object");
  if (chosen == nullptr || chosen->runtime) return std::nullopt;
  return FillTemplate(*chosen, name, "object");
}

}  // namespace tiercel::mapping
