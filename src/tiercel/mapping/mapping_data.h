// What a Mapping holds: the tree of objects and fields as it was declared, and the index over it. Internal to the
// module.
//
// Thread safety: immutable inside a Mapping; while one is being made it belongs to one thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tiercel/analysis/analyzer.h"
#include "tiercel/mapping/dates.h"
#include "tiercel/mapping/mapping.h"

namespace tiercel::mapping {

inline constexpr FieldId kNoField = UINT32_MAX;

enum class Dynamic : uint8_t { kInherit, kTrue, kFalse, kStrict, kRuntime };

struct Node {
  FieldId id = kNoField;  // kNoField until indexed, and for the root
  FieldType type = FieldType::kObject;
  std::map<std::string, Node, std::less<>> children;  // properties of an object, sub-fields of a leaf

  // Leaves. Texts by ParametersOf(type).
  std::vector<std::string> parameters;
  std::vector<std::string> copy_to;

  // Objects.
  Dynamic dynamic = Dynamic::kInherit;
  std::optional<bool> enabled;
  bool include_in_parent = false;  // nested only
  bool include_in_root = false;

  // Made from the above when the tree is indexed.
  const analysis::Analyzer* analyzer = nullptr;   // text
  uint32_t position_gap = 100;                    // text
  bool lower_case = false;                        // keyword with the lowercase normalizer
  std::shared_ptr<const DateFormat> date_format;  // date, unless the format is the default

  bool is_object() const { return type == FieldType::kObject || type == FieldType::kNested; }
  // The parameter's text, its default when it was not given.
  std::string_view parameter(std::string_view name) const;
};

struct DynamicTemplate {
  std::string name;
  std::vector<std::string> mapping_types, unmatch_mapping_types;  // empty: any
  std::vector<std::string> match, unmatch, path_match, path_unmatch;
  bool regex = false;
  bool runtime = false;
  std::string mapping_json;
};

// What stands beside "properties" at the top.
struct RootOptions {
  std::optional<bool> date_detection, numeric_detection;
  std::string dynamic_date_formats_json;
  std::vector<std::string> dynamic_date_formats;
  std::string dynamic_templates_json;
  std::vector<DynamicTemplate> dynamic_templates;
  std::string source_json, routing_json, meta_json, runtime_json;
};

struct TransparentHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

struct Mapping::Data {
  Node root;
  RootOptions options;

  // The index: fields by id, each with its node, and ids by full name.
  std::vector<Field> fields;
  std::vector<const Node*> nodes;
  std::unordered_map<std::string, FieldId, TransparentHash, std::equal_to<>> by_name;
};

// Reads the object under "mappings" into a tree without an index. Errors are not wrapped in "Failed to parse mapping".
Status ReadMappings(json::Value mappings, const MappingLimits& limits, Node& root, RootOptions& options);
// One field's or object's declaration.
Status ReadNode(std::string_view name, json::Value declaration, Node& out);
// "a.b" names are split into objects.
Status ReadProperties(json::Value properties, Node& out);
Status ReadDynamicTemplates(json::Value templates, RootOptions& options);

// Adds `update` to `node`, or says what conflicts and may leave `node` half changed. `path` is the full name of `node`.
Status MergeNode(Node& node, const Node& update, const std::string& path);
// What may not change once an index exists.
Status CheckOptionsUpdate(const RootOptions& options, const RootOptions& update);
Status MergeOptions(RootOptions& options, const RootOptions& update);

// Gives ids to nodes that lack one and builds the index.
Status IndexTree(Mapping::Data& data, const MappingLimits& limits);

void WriteNode(const Node& node, json::Writer& writer);

// The vector parameters of a leaf, read, checked and filled with defaults.
Result<VectorOptions> ReadVectorOptions(const Node& node, std::string_view name);
Status CheckVectorParameters(Node& node, std::string_view name);
// "{type=hnsw, m=16, ...}", as conflicts show them.
std::string ShowIndexOptions(std::string_view json);
bool MayChangeIndexOptions(std::string_view from_json, std::string_view to_json);

// '*' matches any run of characters.
bool MatchesPattern(std::string_view pattern, std::string_view text);

}  // namespace tiercel::mapping
