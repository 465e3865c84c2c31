#include "tiercel/engine/setting_values.h"

#include <charconv>
#include <span>
#include <utility>

#include "tiercel/engine/index_settings.h"

namespace tiercel::engine {
namespace {

constexpr std::string_view kIndexPrefix = "index.";

void Flatten(json::Value object, const std::string& path, SettingChanges& out) {
  for (const auto& [key, value] : object.members()) {
    const std::string name = path.empty() ? std::string(key) : path + "." + std::string(key);
    if (value.is_object()) {
      Flatten(value, name, out);
      continue;
    }
    std::optional<std::string> text;
    if (value.is_array()) {
      text.emplace(1, kListMark);
      json::Writer writer(*text);
      writer.Array([&, list = value] {
        for (const json::Value element : list.elements()) writer.String(element.ToDisplayString());
      });
    } else if (!value.is_null()) {
      text = value.ToDisplayString();
    }
    out.insert_or_assign(name.starts_with(kIndexPrefix) ? name : std::string(kIndexPrefix) + name, std::move(text));
  }
}

void WriteSettingValue(std::string_view value, json::Writer& writer) {
  if (!value.empty() && value.front() == kListMark)
    writer.Raw(value.substr(1));
  else
    writer.String(value);
}

using Iterator = SettingValues::const_iterator;

// Writes the settings of [first, last), whose names share the first `depth` characters, as one object.
void WriteNested(Iterator first, Iterator last, size_t depth, json::Writer& writer) {
  writer.Object([&] {
    while (first != last) {
      const std::string& name = first->first;
      const size_t dot = name.find('.', depth);
      if (dot == std::string::npos) {
        writer.Key(std::string_view(name).substr(depth));
        WriteSettingValue(first->second, writer);
        ++first;
        continue;
      }
      const std::string_view group = std::string_view(name).substr(0, dot + 1);
      Iterator end = first;
      while (end != last && end->first.starts_with(group)) ++end;
      writer.Key(std::string_view(name).substr(depth, dot - depth));
      WriteNested(first, end, dot + 1, writer);
      first = end;
    }
  });
}

struct Unit {
  std::string_view suffix;
  double scale;
};

// "12ms" → 12 and its unit; nothing when the number or the unit is missing.
Result<double> ParseWithUnit(std::string_view text, std::span<const Unit> units, const Status& failure) {
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.suffix)) continue;
    std::string_view digits = text.substr(0, text.size() - unit.suffix.size());
    while (!digits.empty() && digits.back() == ' ') digits.remove_suffix(1);
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size()) return failure;
    return static_cast<double>(number) * unit.scale;
  }
  return failure;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return lower;
}

}  // namespace

Result<SettingChanges> FlattenSettings(json::Value settings) {
  SettingChanges changes;
  Flatten(settings, "", changes);
  return changes;
}

Result<int64_t> ParseInteger(std::string_view text, std::string_view setting, int64_t min, int64_t max) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string failure =
      "Failed to parse value [" + std::string(text) + "] for setting [" + std::string(setting) + "]";
  if (error != std::errc() || end != text.data() + text.size()) {
    return InvalidArgument(failure).WithCause(
        InvalidArgument("For input string: \"" + std::string(text) + "\"").WithType("number_format_exception"));
  }
  if (value < min) return InvalidArgument(failure + " must be >= " + std::to_string(min));
  if (value > max) return InvalidArgument(failure + " must be <= " + std::to_string(max));
  return value;
}

Result<int64_t> ParseTimeMs(std::string_view text, std::string_view setting) {
  static constexpr Unit kUnits[] = {{"nanos", 1e-6}, {"micros", 1e-3}, {"ms", 1},    {"s", 1e3},
                                    {"m", 6e4},      {"h", 3.6e6},     {"d", 8.64e7}};
  if (text == "-1") return -1;
  if (text == "0") return 0;
  const Status failure = InvalidArgument("failed to parse setting [" + std::string(setting) + "] with value [" +
                                         std::string(text) + "] as a time value: unit is missing or unrecognized");
  TIERCEL_TRY_ASSIGN(const double ms, ParseWithUnit(Lower(text), kUnits, failure));
  if (ms > 9e18) return failure;
  return static_cast<int64_t>(ms);
}

Result<uint64_t> ParseByteSize(std::string_view text, std::string_view setting) {
  static constexpr Unit kUnits[] = {{"kb", 0x1p10}, {"mb", 0x1p20}, {"gb", 0x1p30}, {"tb", 0x1p40},
                                    {"pb", 0x1p50}, {"k", 0x1p10},  {"m", 0x1p20},  {"g", 0x1p30},
                                    {"t", 0x1p40},  {"p", 0x1p50},  {"b", 1}};
  if (text == "0") return uint64_t{0};
  const std::string message = "failed to parse setting [" + std::string(setting) + "] with value [" +
                              std::string(text) + "] as a size in bytes: unit is missing or unrecognized";
  const Status failure = InvalidArgument(message).WithCause(InvalidArgument(message).WithType("parse_exception"));
  TIERCEL_TRY_ASSIGN(const double bytes, ParseWithUnit(Lower(text), kUnits, failure));
  if (bytes > 9e18) return failure;
  return static_cast<uint64_t>(bytes);
}

void WriteSettings(const SettingValues& values, bool flat, json::Writer& writer) {
  if (!flat) {
    WriteNested(values.begin(), values.end(), 0, writer);
    return;
  }
  writer.Object([&] {
    for (const auto& [name, value] : values) {
      writer.Key(name);
      WriteSettingValue(value, writer);
    }
  });
}

}  // namespace tiercel::engine
