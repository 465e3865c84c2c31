// DocumentWalker: the walk over one document that DocumentParser::Parse is. Internal to the module.
//
// Every member is matched with the mapping tree. Values of fields are encoded into the ParsedDocument; members without
// a field are declared in a tree of pending declarations, the mapping update. Text is analysed at the end, field by
// field, because the tokens of a field have to lie together.
//
// Thread safety: one thread, one document.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/json/value.h"
#include "tiercel/json/writer.h"
#include "tiercel/mapping/mapping_data.h"

namespace tiercel::mapping {

// A field or object that the document brings and the mapping lacks.
struct Pending {
  std::string declaration;  // JSON; empty for a plain object
  Node node;                // what the declaration says
  std::map<std::string, Pending, std::less<>> children;
};
void WritePending(const Pending& pending, json::Writer& writer);

class DocumentWalker {
 public:
  DocumentWalker(const Mapping& mapping, ParsedDocument& document)
      : mapping_(mapping), data_(mapping.data()), document_(document) {}

  Status Walk(json::Value root);
  // The declarations to merge, {"properties":{…}}; nothing when the mapping has all.
  std::optional<std::string> MappingUpdate() const;

 private:
  // Where the walk stands: an object of the mapping (null when it is only pending), of the update, and what holds
  // inside.
  struct Scope {
    const Node* node;
    Pending* pending;
    Dynamic dynamic;
    bool inside_nested;
  };
  struct Text {
    FieldId field;
    uint32_t order;  // among all texts of the document
    const Node* node;
    std::string_view text;
  };

  Status WalkObject(json::Value object, const Scope& scope);
  Status WalkMember(std::string_view key, json::Value value, const Scope& scope);
  Status WalkDotted(std::string_view key, json::Value value, const Scope& scope);
  Status WalkChildObject(std::string_view key, json::Value value, const Node& child, const Scope& scope);
  Status WalkUnmapped(std::string_view key, json::Value value, const Scope& scope);
  Status WalkPendingObject(std::string_view key, json::Value value, const Scope& scope);
  Status DeclareScalar(std::string_view key, json::Value value, const Scope& scope);
  Status DeclareVector(std::string_view key, json::Value value, const Scope& scope);
  Status Declare(std::string_view key, std::string declaration, const Scope& scope);
  Pending& PendingOf(const Scope& scope);
  static bool IsDynamicVector(json::Value value);

  // Values of fields.
  Status Emit(const Node& node, json::Value value, bool emit);
  Status EmitScalar(const Node& node, const Field& field, json::Value value, bool emit);
  Status EmitRelated(const Node& node, const Field& field, json::Value value, bool emit);
  Status EmitNumber(const Field& field, json::Value value, bool emit);
  Status EmitDate(const Node& node, const Field& field, json::Value value, bool emit);
  Status EmitKeyword(const Node& node, const Field& field, json::Value value, bool emit);
  Status EmitIp(const Field& field, json::Value value, bool emit);
  Status EmitVector(const Node& node, const Field& field, json::Value value, bool emit);
  Status EmitNull(const Node& node, const Field& field, bool emit);
  void AddNumeric(const Field& field, int64_t encoded, bool emit);
  void AddKeyword(const Field& field, std::string_view term, bool emit);
  void AddIgnored(const Field& field);
  Status AnalyzeTexts();
  Status AnalyzeField(size_t first, size_t end);

  // Errors.
  Status CheckPendingValue(const Node& node, std::string_view key, json::Value value) const;
  Status Malformed(const Field& field, json::Value value, Status cause);
  Status FieldError(const Field& field, json::Value value, Status cause) const;
  Status StrictError(std::string_view key, uint64_t offset) const;
  uint64_t KeyOffset(std::string_view key, json::Value value) const;
  Status NameError(std::string_view key, json::Value value, std::string reason) const;
  Status CheckKey(std::string_view key, json::Value value, bool at_root) const;
  std::string Position(uint64_t offset) const;
  std::string FullName(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }

  const Mapping& mapping_;
  const Mapping::Data& data_;
  ParsedDocument& document_;
  std::string path_;  // of the object the walk is in
  Pending update_;
  std::vector<Text> texts_;
  std::vector<json::Document> null_values_;  // parsed null_value parameters that texts_ may point into
};

}  // namespace tiercel::mapping
