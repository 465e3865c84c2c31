#include "tiercel/search/sort_spec.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "tiercel/search/request_error.h"

namespace tiercel::search {
namespace {

constexpr std::string_view kParser = "field_sort";

std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

Result<bool> ParseOrder(std::string_view order) {
  const std::string upper = Upper(order);
  if (upper == "ASC") return false;
  if (upper == "DESC") return true;
  return InvalidArgument("No enum constant org.elasticsearch.search.sort.SortOrder." + upper);
}

Result<SortMode> ParseMode(std::string_view mode) {
  static constexpr std::pair<std::string_view, SortMode> kModes[] = {{"MIN", SortMode::kMin},
                                                                     {"MAX", SortMode::kMax},
                                                                     {"AVG", SortMode::kAvg},
                                                                     {"SUM", SortMode::kSum},
                                                                     {"MEDIAN", SortMode::kMedian}};
  const std::string upper = Upper(mode);
  for (const auto& [name, value] : kModes)
    if (name == upper) return value;
  return InvalidArgument("Unknown SortMode [" + std::string(mode) + "]");
}

Status CheckNumericType(std::string_view type) {
  for (const std::string_view known : {"long", "double", "date", "date_nanos"})
    if (type == known) return {};
  return InvalidArgument("invalid value for [numeric_type], must be [long, double, date, date_nanos], got " +
                         std::string(type));
}

SortSpec NewSpec(std::string_view field) {
  SortSpec spec;
  spec.field = field;
  if (field == "_score") {
    spec.kind = SortSpec::Kind::kScore;
    spec.descending = true;
  } else if (field == "_doc") {
    spec.kind = SortSpec::Kind::kDoc;
  } else if (field == "_shard_doc") {
    spec.kind = SortSpec::Kind::kShardDoc;
  }
  return spec;
}

Status ParseMissing(json::Value value, SortSpec& spec) {
  if (value.is_null()) return {};
  if (value.is_object() || value.is_array()) return WrongFieldType(value, kParser, "missing");
  const std::string text = value.ToDisplayString();
  if (text == "_first") {
    spec.missing = SortMissing::kFirst;
  } else if (text != "_last") {
    spec.missing = SortMissing::kValue;
    spec.missing_value = text;
  }
  return {};
}

Status ParseNested(json::Value value, SortSpec& spec) {
  if (!value.is_object()) return WrongFieldType(value, kParser, "nested");
  const json::Value path = value["path"];
  spec.nested_path = path.is_string() ? std::string(path.as_string()) : "?";
  return {};
}

// A member whose value must be a string, handed to `parse`; its error becomes the cause of "failed to parse field".
template <typename Parse>
Status ParseText(json::Value value, std::string_view parser, std::string_view key, Parse parse) {
  if (!value.is_string()) return WrongFieldType(value, parser, key);
  if (Status status = parse(value.as_string()); !status.ok()) return FieldError(value, parser, key, std::move(status));
  return {};
}

Status ParseOption(std::string_view key, json::Value value, SortSpec& spec) {
  const bool is_field = spec.kind == SortSpec::Kind::kField || spec.kind == SortSpec::Kind::kDoc;
  const std::string_view parser = is_field ? kParser : std::string_view(spec.field);
  if (key == "order") {
    return ParseText(value, parser, key, [&](std::string_view text) -> Status {
      TIERCEL_TRY_ASSIGN(spec.descending, ParseOrder(text));
      return {};
    });
  }
  if (is_field) {
    if (key == "mode") {
      return ParseText(value, parser, key, [&](std::string_view text) -> Status {
        TIERCEL_TRY_ASSIGN(spec.mode, ParseMode(text));
        return {};
      });
    }
    if (key == "numeric_type") {
      return ParseText(value, parser, key, [&](std::string_view text) -> Status {
        TIERCEL_TRY(CheckNumericType(text));
        spec.numeric_type = text;
        return {};
      });
    }
    if (key == "missing") return ParseMissing(value, spec);
    if (key == "nested") return ParseNested(value, spec);
    std::string* text = key == "unmapped_type" ? &spec.unmapped_type : key == "format" ? &spec.format : nullptr;
    if (text != nullptr) {
      return ParseText(value, parser, key, [&](std::string_view given) -> Status {
        *text = given;
        return {};
      });
    }
  }
  return ContentError(value, "[" + std::string(parser) + "] unknown field [" + std::string(key) + "]");
}

Status ParseElement(std::string_view field, json::Value options, std::vector<SortSpec>& sorts) {
  SortSpec spec = NewSpec(field);
  if (options.is_string()) {
    TIERCEL_TRY_ASSIGN(spec.descending, ParseOrder(options.as_string()));
  } else if (options.is_object()) {
    if (field == "_script" || field == "_geo_distance")
      return InvalidArgument("sorting by [" + std::string(field) + "] is not supported");
    for (auto [key, value] : options.members()) TIERCEL_TRY(ParseOption(key, value, spec));
  } else {
    return ContentError(options, "[field_sort] Expected START_OBJECT but was: END_OBJECT");
  }
  sorts.push_back(std::move(spec));
  return {};
}

Status ParseObject(json::Value object, std::vector<SortSpec>& sorts) {
  for (auto [field, options] : object.members()) TIERCEL_TRY(ParseElement(field, options, sorts));
  return {};
}

}  // namespace

Result<std::vector<SortSpec>> ParseSort(json::Value sort) {
  std::vector<SortSpec> sorts;
  if (sort.is_null()) return UnknownKey(sort, "sort");
  if (sort.is_object()) {
    TIERCEL_TRY(ParseObject(sort, sorts));
  } else if (sort.is_array()) {
    for (const json::Value element : sort.elements()) {
      if (element.is_object()) {
        TIERCEL_TRY(ParseObject(element, sorts));
      } else if (element.is_string()) {
        sorts.push_back(NewSpec(element.as_string()));
      } else {
        return InvalidArgument(
            "malformed sort format, within the sort array, an object, or an actual string are allowed");
      }
    }
  } else {
    sorts.push_back(NewSpec(sort.ToDisplayString()));
  }
  DropDefaultSort(sorts);
  return sorts;
}

void AppendUrlSort(std::string_view element, std::vector<SortSpec>& sorts) {
  const size_t colon = element.rfind(':');
  if (colon == std::string_view::npos) {
    if (!element.empty()) sorts.push_back(NewSpec(element));
    return;
  }
  const std::string_view order = element.substr(colon + 1);
  if (order != "asc" && order != "desc") return;
  sorts.push_back(NewSpec(element.substr(0, colon)));
  sorts.back().descending = order == "desc";
}

void DropDefaultSort(std::vector<SortSpec>& sorts) {
  if (sorts.size() == 1 && sorts[0].kind == SortSpec::Kind::kScore && sorts[0].descending) sorts.clear();
}

}  // namespace tiercel::search
