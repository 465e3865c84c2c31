// "fields": values taken from the source, read by the mapping: numbers as their type, dates formatted, always arrays.
#include "tiercel/mapping/values.h"
#include "tiercel/search/fetch.h"

namespace tiercel::search {
namespace {

using mapping::Field;
using mapping::FieldType;

// Leaf values under a dotted path; arrays are looked through, and keys may hold dots themselves.
void CollectValues(json::Value node, std::string_view path, std::vector<json::Value>& values) {
  if (node.is_array()) {
    for (const json::Value element : node.elements()) CollectValues(element, path, values);
    return;
  }
  if (path.empty()) {
    if (!node.is_null() && !node.is_object()) values.push_back(node);
    return;
  }
  if (!node.is_object()) return;
  for (auto [key, value] : node.members()) {
    if (!path.starts_with(key)) continue;
    if (key.size() == path.size())
      CollectValues(value, {}, values);
    else if (path[key.size()] == '.')
      CollectValues(value, path.substr(key.size() + 1), values);
  }
}

// A multi-field has no value of its own: it shows its parent's.
std::string_view SourcePath(const Field& field) {
  const std::string_view name = field.name;
  return field.multi_field ? name.substr(0, name.rfind('.')) : name;
}

uint64_t CodePoints(std::string_view text) {
  uint64_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return count;
}

// False when the value is not one of the field: it was ignored when the document was indexed.
bool WriteValue(const FetchField& wanted, json::Value value, json::Writer& writer) {
  const Field& field = *wanted.field;
  if (field.is_numeric_column()) {
    const Result<int64_t> encoded = mapping::EncodeNumeric(field, value, 0);
    if (!encoded.ok()) return false;
    if (field.type == FieldType::kDate) {
      const Result<std::string> text =
          mapping::FormatDate(*encoded, wanted.format.empty() ? field.format : wanted.format);
      if (!text.ok()) return false;
      writer.String(*text);
    } else {
      mapping::WriteNumeric(field, *encoded, {}, writer);
    }
    return true;
  }
  if (field.type == FieldType::kDenseVector) {
    writer.Copy(value);
    return true;
  }
  const std::string text = value.ToDisplayString();
  if (field.type == FieldType::kIp) {
    const Result<std::string> address = mapping::ParseIp(text);
    if (!address.ok()) return false;
    writer.String(mapping::FormatIp(*address));
    return true;
  }
  if (field.ignore_above && CodePoints(text) > *field.ignore_above) return false;
  writer.String(text);
  return true;
}

}  // namespace

bool WriteSourceFields(json::Value source, std::span<const FetchField> fields, json::Writer& writer) {
  bool any = false;
  for (const FetchField& wanted : fields) {
    std::vector<json::Value> values;
    CollectValues(source, SourcePath(*wanted.field), values);
    std::string text;
    json::Writer array(text);
    bool has = false;
    array.Array([&] {
      for (const json::Value value : values) has |= WriteValue(wanted, value, array);
    });
    if (has) writer.Key(wanted.field->name).Raw(text);
    any |= has;
  }
  return any;
}

}  // namespace tiercel::search
