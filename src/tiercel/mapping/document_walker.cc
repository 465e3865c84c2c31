#include "tiercel/mapping/document_walker.h"

#include <algorithm>

#include "tiercel/mapping/dynamic.h"
#include "tiercel/mapping/numbers.h"

namespace tiercel::mapping {
namespace {

constexpr uint32_t kDynamicVectorDimsMin = 128;
constexpr uint32_t kDynamicVectorDimsMax = 4096;

constexpr std::string_view kMetadataFields[] = {"_id",        "_index",          "_source",  "_routing",
                                                "_seq_no",    "_version",        "_ignored", "_field_names",
                                                "_doc_count", "_ignored_source", "_tier",    "_nested_path"};

std::string_view ObjectName(const std::string& path) {
  return path.empty() ? std::string_view("_doc") : std::string_view(path);
}

// Parts of `path_` come and go with the objects the walk enters.
class PathScope {
 public:
  PathScope(std::string& path, std::string_view key) : path_(path), length_(path.size()) {
    if (!path.empty()) path += '.';
    path += key;
  }
  ~PathScope() { path_.resize(length_); }
  PathScope(const PathScope&) = delete;
  PathScope& operator=(const PathScope&) = delete;

 private:
  std::string& path_;
  size_t length_;
};

}  // namespace

void WritePending(const Pending& pending, json::Writer& writer) {
  const auto children = [&] {
    writer.Key("properties").Object([&] {
      for (const auto& [name, child] : pending.children) {
        writer.Key(name);
        WritePending(child, writer);
      }
    });
  };
  if (pending.declaration.empty()) {
    writer.Object([&] {
      if (pending.children.empty())
        writer.Member("type", "object");
      else
        children();
    });
    return;
  }
  if (pending.children.empty()) {
    writer.Raw(pending.declaration);
    return;
  }
  const json::Document declaration = json::Document::Parse(pending.declaration).value();
  writer.Object([&] {
    for (const auto [key, value] : declaration.root().members()) {
      if (key != "properties") writer.Key(key).Copy(value);
    }
    children();
  });
}

std::optional<std::string> DocumentWalker::MappingUpdate() const {
  if (update_.children.empty()) return std::nullopt;
  std::string out;
  json::Writer writer(out);
  WritePending(update_, writer);
  return out;
}

Status DocumentWalker::Walk(json::Value root) {
  if (data_.root.enabled == false) return {};
  const Dynamic dynamic = data_.root.dynamic == Dynamic::kInherit ? Dynamic::kTrue : data_.root.dynamic;
  TIERCEL_TRY(WalkObject(root, {&data_.root, &update_, dynamic, false}));
  return update_.children.empty() ? AnalyzeTexts() : Status();
}

Status DocumentWalker::WalkObject(json::Value object, const Scope& scope) {
  for (const auto [key, value] : object.members()) {
    if (key.empty() || key[0] == '_' || key.find_first_of(". ") != std::string_view::npos) {
      TIERCEL_TRY(CheckKey(key, value, scope.node == &data_.root));
      if (key.find('.') != std::string_view::npos) {
        TIERCEL_TRY(WalkDotted(key, value, scope));
        continue;
      }
    }
    TIERCEL_TRY(WalkMember(key, value, scope));
  }
  return {};
}

Status DocumentWalker::WalkMember(std::string_view key, json::Value value, const Scope& scope) {
  if (scope.node != nullptr) {
    const auto found = scope.node->children.find(key);
    if (found != scope.node->children.end()) {
      const Node& child = found->second;
      return child.is_object() ? WalkChildObject(key, value, child, scope) : Emit(child, value, !scope.inside_nested);
    }
  }
  return WalkUnmapped(key, value, scope);
}

// "a.b": the member b of an object a that is not written out.
Status DocumentWalker::WalkDotted(std::string_view key, json::Value value, const Scope& scope) {
  const size_t dot = key.find('.');
  if (dot == std::string_view::npos || dot + 1 == key.size()) return WalkMember(key.substr(0, dot), value, scope);
  const std::string_view head = key.substr(0, dot), rest = key.substr(dot + 1);
  const auto found = scope.node == nullptr ? std::map<std::string, Node, std::less<>>::const_iterator()
                                           : scope.node->children.find(head);
  if (scope.node != nullptr && found != scope.node->children.end()) {
    const Node& child = found->second;
    if (!child.is_object()) {
      const Field& field = data_.fields[child.id];
      const std::string_view wanted = field.type == FieldType::kBoolean ? "boolean value" : "text";
      Status cause = field.is_number()
                         ? InvalidArgument("Cannot parse object as number")
                         : InvalidArgument("Can't get " + std::string(wanted) + " on a START_OBJECT at 1:2")
                               .WithType("illegal_state_exception");
      return InvalidArgument(Position(value.offset()) + "failed to parse field [" + field.name + "] of type [" +
                             std::string(TypeName(field.type)) + "] in document with id '" + document_.id +
                             "'. Preview of field's value: '{" + std::string(rest) + "=" + value.ToDisplayString() +
                             "}'")
          .WithType("document_parsing_exception")
          .WithCause(std::move(cause));
    }
    if (child.enabled == false) return {};
    const PathScope in(path_, head);
    return WalkDotted(rest, value,
                      {&child, nullptr, child.dynamic == Dynamic::kInherit ? scope.dynamic : child.dynamic,
                       scope.inside_nested || child.type == FieldType::kNested});
  }
  if (value.is_null() || scope.dynamic == Dynamic::kFalse || scope.dynamic == Dynamic::kRuntime) return {};
  if (scope.dynamic == Dynamic::kStrict) return StrictError(head, KeyOffset(key, value));
  Pending& pending = PendingOf(scope).children[std::string(head)];
  if (!pending.node.is_object()) {
    return InvalidArgument("mapper [" + FullName(head) + "] cannot be changed from type [" +
                           std::string(TypeName(pending.node.type)) + "] to [ObjectMapper]");
  }
  const PathScope in(path_, head);
  return WalkDotted(rest, value, {nullptr, &pending, scope.dynamic, scope.inside_nested});
}

Status DocumentWalker::WalkChildObject(std::string_view key, json::Value value, const Node& child, const Scope& scope) {
  if (value.is_null() || child.enabled == false) return {};
  if (value.is_array()) {
    for (const json::Value element : value.elements()) {
      if (!element.is_object() && !element.is_null() && !element.is_array()) {
        return InvalidArgument(Position(element.offset()) + "object mapping for [" + FullName(key) +
                               "] tried to parse field [null] as object, but found a concrete value")
            .WithType("document_parsing_exception");
      }
      TIERCEL_TRY(WalkChildObject(key, element, child, scope));
    }
    return {};
  }
  if (!value.is_object()) {
    return InvalidArgument(Position(value.offset()) + "object mapping for [" + FullName(key) +
                           "] tried to parse field [" + std::string(key) + "] as object, but found a concrete value")
        .WithType("document_parsing_exception");
  }
  const PathScope in(path_, key);
  const Dynamic dynamic = child.dynamic == Dynamic::kInherit ? scope.dynamic : child.dynamic;
  return WalkObject(value, {&child, nullptr, dynamic, scope.inside_nested || child.type == FieldType::kNested});
}

Status DocumentWalker::WalkUnmapped(std::string_view key, json::Value value, const Scope& scope) {
  if (value.is_null() || scope.dynamic == Dynamic::kFalse || scope.dynamic == Dynamic::kRuntime) return {};
  if (scope.dynamic == Dynamic::kStrict) {
    return StrictError(key, value.offset());
  }
  if (value.is_object()) return WalkPendingObject(key, value, scope);
  if (!value.is_array()) return DeclareScalar(key, value, scope);
  const bool declared = PendingOf(scope).children.contains(key);
  if (!declared && IsDynamicVector(value) && FindTemplate(data_.options, FullName(key), key, "double") == nullptr)
    return DeclareVector(key, value, scope);
  for (const json::Value element : value.elements()) TIERCEL_TRY(WalkUnmapped(key, element, scope));
  return {};
}

// The object of the update that stands for the scope; made when first needed, together with those around it.
Pending& DocumentWalker::PendingOf(const Scope& scope) {
  if (scope.pending != nullptr) return *scope.pending;
  Pending* at = &update_;
  const Node* node = &data_.root;
  for (std::string_view rest = path_; !rest.empty();) {
    const size_t dot = std::min(rest.find('.'), rest.size());
    const std::string_view head = rest.substr(0, dot);
    node = &node->children.find(head)->second;
    at = &at->children[std::string(head)];
    if (node->type == FieldType::kNested && at->declaration.empty()) {
      at->declaration = R"({"type":"nested"})";
      at->node.type = FieldType::kNested;
    }
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  return *at;
}

Status DocumentWalker::WalkPendingObject(std::string_view key, json::Value value, const Scope& scope) {
  Pending& parent = PendingOf(scope);
  auto found = parent.children.find(key);
  if (found == parent.children.end()) {
    const std::string full = FullName(key);
    if (auto declaration = DeclareDynamicObject(data_.options, full, key)) {
      TIERCEL_TRY(Declare(key, std::move(*declaration), scope));
      const Node& declared = parent.children.find(key)->second.node;
      if (!declared.is_object()) return CheckPendingValue(declared, key, value);
    }
    found = parent.children.try_emplace(std::string(key)).first;
  }
  Pending& pending = found->second;
  if (!pending.node.is_object()) {
    return InvalidArgument("mapper [" + FullName(key) + "] cannot be changed from type [" +
                           std::string(TypeName(pending.node.type)) + "] to [ObjectMapper]");
  }
  // What a template declares below is there once the update is merged, and the document read again.
  if (pending.node.enabled == false || !pending.node.children.empty()) return {};
  const PathScope in(path_, key);
  const Dynamic dynamic = pending.node.dynamic == Dynamic::kInherit ? scope.dynamic : pending.node.dynamic;
  return WalkObject(value,
                    {nullptr, &pending, dynamic, scope.inside_nested || pending.node.type == FieldType::kNested});
}

bool DocumentWalker::IsDynamicVector(json::Value value) {
  if (value.size() < kDynamicVectorDimsMin || value.size() > kDynamicVectorDimsMax) return false;
  for (const json::Value element : value.elements()) {
    if (!element.has_fraction_syntax()) return false;
  }
  return true;
}

Status DocumentWalker::DeclareVector(std::string_view key, json::Value value, const Scope& scope) {
  return Declare(key, R"({"type":"dense_vector","dims":)" + std::to_string(value.size()) + "}", scope);
}

Status DocumentWalker::DeclareScalar(std::string_view key, json::Value value, const Scope& scope) {
  auto declaration = DeclareDynamicField(data_.options, FullName(key), key, value);
  if (!declaration) return {};
  TIERCEL_TRY(Declare(key, std::move(*declaration), scope));
  return CheckPendingValue(PendingOf(scope).children.find(key)->second.node, key, value);
}

Status DocumentWalker::Declare(std::string_view key, std::string declaration, const Scope& scope) {
  Node node;
  {
    const auto document = json::Document::Parse(declaration);
    if (!document.ok())
      return InvalidArgument("dynamic template makes no valid mapping for [" + FullName(key) + "]")
          .WithType("mapper_parsing_exception");
    TIERCEL_TRY(ReadNode(key, document.value().root(), node));
  }
  const auto [at, added] = PendingOf(scope).children.try_emplace(std::string(key));
  Pending& pending = at->second;
  if (added) {
    pending.declaration = std::move(declaration);
    pending.node = std::move(node);
    return {};
  }
  Node merged = pending.node;
  return MergeNode(merged, node, FullName(key));
}

std::string DocumentWalker::Position(uint64_t offset) const {
  const std::string_view before = std::string_view(document_.source).substr(0, offset);
  const size_t newline = before.rfind('\n');
  const size_t column = before.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
  return "[" + std::to_string(std::count(before.begin(), before.end(), '\n') + 1) + ":" + std::to_string(column) + "] ";
}

uint64_t DocumentWalker::KeyOffset(std::string_view key, json::Value value) const {
  // Keys without escapes lie in the source, one byte behind their opening quote.
  const std::string_view source = document_.source;
  const bool inside = key.data() > source.data() && key.data() <= source.data() + source.size();
  return inside ? static_cast<uint64_t>(key.data() - source.data()) - 1 : value.offset();
}

Status DocumentWalker::StrictError(std::string_view key, uint64_t offset) const {
  return InvalidArgument(Position(offset) + "mapping set to strict, dynamic introduction of [" + std::string(key) +
                         "] within [" + std::string(ObjectName(path_)) + "] is not allowed")
      .WithType("strict_dynamic_mapping_exception");
}

Status DocumentWalker::NameError(std::string_view key, json::Value value, std::string reason) const {
  const uint64_t offset = KeyOffset(key, value);
  return InvalidArgument(Position(offset) + "failed to parse: " + reason)
      .WithType("document_parsing_exception")
      .WithCause(InvalidArgument(std::move(reason)));
}

Status DocumentWalker::CheckKey(std::string_view key, json::Value value, bool at_root) const {
  if (key.empty()) return NameError(key, value, "field name cannot be an empty string");
  if (at_root && key[0] == '_' &&
      std::find(std::begin(kMetadataFields), std::end(kMetadataFields), key) != std::end(kMetadataFields)) {
    const std::string place = Position(value.offset()), name(key);
    return InvalidArgument(place + "failed to parse field [" + name + "] of type [" + name + "] in document with id '" +
                           document_.id + "'. Preview of field's value: '" + value.ToDisplayString() + "'")
        .WithType("document_parsing_exception")
        .WithCause(
            InvalidArgument(
                place + "Field [" + name +
                "] is a metadata field and cannot be added inside a document. Use the index API request parameters.")
                .WithType("document_parsing_exception"));
  }
  const auto blank = [](std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; };
  if (key.find('.') == std::string_view::npos) {
    if (!blank(key)) return {};
    Status error = NameError(key, value, "Field name cannot contain only whitespace: [" + std::string(key) + "]");
    std::string message = error.message();
    message.erase(message.find("failed to parse: "), 17);
    return InvalidArgument(std::move(message)).WithType("document_parsing_exception");
  }
  for (size_t at = 0; at < key.size();) {
    const size_t dot = std::min(key.find('.', at), key.size());
    const std::string_view part = key.substr(at, dot - at);
    if (part.empty())
      return NameError(key, value, "field name cannot contain only whitespace: ['" + std::string(key) + "']");
    if (blank(part)) {
      return NameError(
          key, value,
          "field name starting or ending with a [.] makes object resolution ambiguous: [" + std::string(key) + "]");
    }
    at = dot + 1;
  }
  return {};
}

}  // namespace tiercel::mapping
