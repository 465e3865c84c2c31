#include "tiercel/engine/update_body.h"

#include <algorithm>
#include <utility>

#include "tiercel/json/writer.h"

namespace tiercel::engine {
namespace {

Status Bad(json::Value at, const std::string& what) {
  const auto [line, column] = at.line_column();
  return InvalidArgument("[" + std::to_string(line) + ":" + std::to_string(column) + "] [UpdateRequest] " + what)
      .WithType("x_content_parse_exception");
}

// The key of a member stands before its value; the error points at the key.
Status UnknownField(std::string_view key, json::Value value, std::string_view text) {
  const std::string quoted = "\"" + std::string(key) + "\"";
  const size_t at = text.rfind(quoted, value.offset());
  if (at == std::string_view::npos) return Bad(value, "unknown field [" + std::string(key) + "]");
  const std::string_view before = text.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t column = at - (before.rfind('\n') + 1) + 1;
  return InvalidArgument("[" + std::to_string(line) + ":" + std::to_string(column) +
                         "] [UpdateRequest] unknown field [" + std::string(key) + "]")
      .WithType("x_content_parse_exception");
}

Result<bool> ReadFlag(std::string_view key, json::Value value) {
  const std::string text = value.ToDisplayString();
  if (text == "true") return true;
  if (text == "false") return false;
  return Bad(value, "failed to parse field [" + std::string(key) + "]")
      .WithCause(InvalidArgument("Failed to parse value [" + text + "] as only [true] or [false] are allowed."));
}

Result<int64_t> ReadNumber(std::string_view key, json::Value value) {
  if (value.type() == json::Type::kInt64) return value.as_int64();
  return Bad(value, std::string(key) + " doesn't support values of type: " + std::string(TokenName(value.type())));
}

Status ReadMember(std::string_view key, json::Value value, UpdateBody& body) {
  if (key == "doc" || key == "upsert") {
    if (!value.is_object())
      return Bad(value, std::string(key) + " doesn't support values of type: " + std::string(TokenName(value.type())));
    (key == "doc" ? body.doc : body.upsert) = value;
  } else if (key == "script") {
    body.script = value;
  } else if (key == "doc_as_upsert") {
    TIERCEL_TRY_ASSIGN(body.doc_as_upsert, ReadFlag(key, value));
  } else if (key == "detect_noop") {
    TIERCEL_TRY_ASSIGN(body.detect_noop, ReadFlag(key, value));
  } else if (key == "scripted_upsert") {
    TIERCEL_TRY(ReadFlag(key, value).status());
  } else if (key == "_source") {
    TIERCEL_TRY_ASSIGN(body.return_source, search::ParseSourceFilter(value));
  } else if (key == "if_seq_no") {
    TIERCEL_TRY_ASSIGN(body.if_seq_no, ReadNumber(key, value));
  } else if (key == "if_primary_term") {
    TIERCEL_TRY_ASSIGN(body.if_primary_term, ReadNumber(key, value));
  } else {
    return UnknownField(key, value, body.document.text());
  }
  return {};
}

// Compact, so that the stored source does not mix two layouts; scalars keep the digits they were written with.
void WriteCompact(json::Value value, json::Writer& writer) {
  if (value.is_object()) {
    writer.Object([&] {
      for (const auto& [key, member] : value.members()) {
        writer.Key(key);
        WriteCompact(member, writer);
      }
    });
  } else if (value.is_array()) {
    writer.Array([&] {
      for (const json::Value element : value.elements()) WriteCompact(element, writer);
    });
  } else {
    writer.Copy(value);
  }
}

bool Same(json::Value a, json::Value b);

bool SameObjects(json::Value a, json::Value b) {
  if (a.size() != b.size()) return false;
  for (const auto& [key, value] : a.members()) {
    const json::Value other = b[key];
    if (!other.exists() || !Same(value, other)) return false;
  }
  return true;
}

bool SameArrays(json::Value a, json::Value b) {
  if (a.size() != b.size()) return false;
  auto other = b.elements().begin();
  for (const json::Value element : a.elements()) {
    if (!Same(element, *other)) return false;
    ++other;
  }
  return true;
}

// 1 and 1.0 differ, and so do 1 and "1": what is stored would change.
bool Same(json::Value a, json::Value b) {
  if (a.type() != b.type()) return false;
  switch (a.type()) {
    case json::Type::kNull:
      return true;
    case json::Type::kBool:
      return a.as_bool() == b.as_bool();
    case json::Type::kInt64:
      return a.as_int64() == b.as_int64();
    case json::Type::kUint64:
      return a.as_uint64() == b.as_uint64();
    case json::Type::kDouble:
      return a.as_double() == b.as_double();
    case json::Type::kString:
      return a.as_string() == b.as_string();
    case json::Type::kArray:
      return SameArrays(a, b);
    case json::Type::kObject:
      return SameObjects(a, b);
  }
  return false;
}

bool Merge(json::Value source, json::Value patch, json::Writer& writer) {
  bool changed = false;
  writer.BeginObject();
  for (const auto& [key, value] : source.members()) {
    writer.Key(key);
    const json::Value update = patch[key];
    if (!update.exists()) {
      WriteCompact(value, writer);
    } else if (value.is_object() && update.is_object()) {
      changed |= Merge(value, update, writer);
    } else {
      changed |= !Same(value, update);
      WriteCompact(update, writer);
    }
  }
  for (const auto& [key, value] : patch.members()) {
    if (source[key].exists()) continue;
    changed = true;
    writer.Key(key);
    WriteCompact(value, writer);
  }
  writer.EndObject();
  return changed;
}

}  // namespace

Result<UpdateBody> ParseUpdateBody(std::string_view text) {
  json::ParseOptions options;
  options.refuse_duplicate_keys = true;
  TIERCEL_TRY_ASSIGN(json::Document document, json::Document::ParseOwned(std::string(text), options));
  UpdateBody body{.document = std::move(document)};
  const json::Value root = body.document.root();
  if (!root.is_object()) return Bad(root, "Expected START_OBJECT but was: " + std::string(TokenName(root.type())));
  for (const auto& [key, value] : root.members()) TIERCEL_TRY(ReadMember(key, value, body));
  return body;
}

MergedSource MergeSource(json::Value source, json::Value patch) {
  MergedSource merged;
  json::Writer writer(merged.json);
  merged.changed = Merge(source, patch, writer);
  return merged;
}

}  // namespace tiercel::engine
