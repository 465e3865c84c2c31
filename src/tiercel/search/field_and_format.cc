// "docvalue_fields" and "fields": names, or objects with a field and a format.
#include "tiercel/search/request.h"
#include "tiercel/search/request_error.h"

namespace tiercel::search {
namespace {

constexpr std::string_view kParser = "fetch_field_and_format";

Result<FieldAndFormat> ParseOne(json::Value value) {
  FieldAndFormat parsed;
  if (value.is_string()) {
    parsed.field = value.as_string();
    return parsed;
  }
  if (!value.is_object()) {
    return ContentError(
        value, "[fetch_field_and_format] Expected START_OBJECT but was: " + std::string(json::TokenName(value.type())));
  }
  bool has_field = false;
  for (auto [key, member] : value.members()) {
    if (key == "field" || key == "format") {
      if (!member.is_string() && !(key == "format" && member.is_null())) return WrongFieldType(member, kParser, key);
      if (member.is_null()) continue;
      (key == "field" ? parsed.field : parsed.format) = member.as_string();
      has_field |= key == "field";
    } else if (key == "include_unmapped") {
      if (!member.is_bool()) return WrongFieldType(member, kParser, key);
    } else {
      return ContentError(member, "[" + std::string(kParser) + "] unknown field [" + std::string(key) + "]");
    }
  }
  if (!has_field) return InvalidArgument("Required [field]");
  return parsed;
}

}  // namespace

Result<std::vector<FieldAndFormat>> ParseFieldsAndFormats(json::Value list, std::string_view key) {
  if (!list.is_array()) return UnknownKey(list, key);
  std::vector<FieldAndFormat> parsed;
  for (const json::Value element : list.elements()) {
    TIERCEL_TRY_ASSIGN(FieldAndFormat one, ParseOne(element));
    parsed.push_back(std::move(one));
  }
  return parsed;
}

}  // namespace tiercel::search
