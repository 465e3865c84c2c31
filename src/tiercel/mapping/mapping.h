// Mapping: the fields of an index. Immutable; a change makes a new one that keeps every field id of the old.
//
// Thread safety: immutable, share by shared_ptr<const>. Cost: Find is one hash lookup; Merge copies the tree.
//
// Where this differs from Elasticsearch: "dynamic":"runtime" adds nothing, where Elasticsearch adds runtime fields;
// runtime fields and runtime templates are kept and shown, not run. "subobjects" may only be true. include_in_root and
// include_in_parent are shown, not applied. _source options may change any time. The types are those of field.h.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/json/value.h"
#include "tiercel/json/writer.h"
#include "tiercel/mapping/document.h"
#include "tiercel/mapping/field.h"

namespace tiercel::mapping {

struct MappingLimits {
  uint32_t total_fields_max = 1000;
  uint32_t depth_max = 20;
};

class Mapping {
 public:
  static std::shared_ptr<const Mapping> Empty();
  // `mappings` is the object under "mappings" (or the body of PUT _mapping): {"dynamic":…, "properties":{…},
  // "_source":…}. Errors: mapper_parsing_exception / illegal_argument_exception as Elasticsearch words them.
  static Result<std::shared_ptr<const Mapping>> Parse(json::Value mappings, const MappingLimits& limits = {});
  // PUT _mapping: adds fields and changes what may change; a conflicting type is InvalidArgument and changes nothing.
  Result<std::shared_ptr<const Mapping>> Merge(json::Value update, const MappingLimits& limits = {}) const;

  // As GET _mapping shows it: {"properties":{…}} with children sorted by name; "{}" when empty.
  void Write(json::Writer& writer) const;
  std::string ToJson() const;

  const Field* Find(std::string_view path) const;  // leaf, object or nested; nullptr when unmapped
  const Field& field(FieldId id) const;
  uint32_t size() const;  // ids are [0, size)
  // Leaf fields whose name matches a pattern with '*', or equals it; sorted by name. Fields inside nested objects
  // included.
  std::vector<const Field*> Expand(std::string_view pattern) const;

  ~Mapping();
  struct Data;  // private representation
  explicit Mapping(std::unique_ptr<Data> data);
  const Data& data() const { return *data_; }

 private:
  static Result<std::shared_ptr<const Mapping>> MergeInto(const Data& base, json::Value update,
                                                          const MappingLimits& limits, bool creating);

  std::unique_ptr<Data> data_;
};

struct ParseResult {
  ParsedDocument document;
  // Set when the document brings fields the mapping lacks: the update to merge ("properties" form). The document is
  // then incomplete: merge, publish, and parse again under the merged mapping.
  std::optional<std::string> mapping_update_json;
};

// Turns documents into typed values. Thread safety: Parse may run on many threads. Errors: document_parsing_exception,
// mapper_parsing_exception, strict_dynamic_mapping_exception, illegal_argument_exception with Elasticsearch's messages.
class DocumentParser {
 public:
  explicit DocumentParser(MappingLimits limits = {}) : limits_(limits) {}
  Result<ParseResult> Parse(std::shared_ptr<const Mapping> mapping, std::string_view id, std::string source) const;

 private:
  MappingLimits limits_;
};

}  // namespace tiercel::mapping
