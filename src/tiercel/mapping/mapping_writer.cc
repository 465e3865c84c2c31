#include "tiercel/mapping/mapping_data.h"
#include "tiercel/mapping/parameters.h"

namespace tiercel::mapping {
namespace {

std::string_view DynamicName(Dynamic dynamic) {
  switch (dynamic) {
    case Dynamic::kTrue:
      return "true";
    case Dynamic::kFalse:
      return "false";
    case Dynamic::kStrict:
      return "strict";
    case Dynamic::kRuntime:
      return "runtime";
    case Dynamic::kInherit:
      break;
  }
  return "";
}

void WriteChildren(const Node& node, std::string_view key, json::Writer& writer) {
  if (node.children.empty()) return;
  writer.Key(key).Object([&] {
    for (const auto& [name, child] : node.children) {
      writer.Key(name);
      WriteNode(child, writer);
    }
  });
}

void WriteVectorParameters(const Node& node, json::Writer& writer) {
  const auto options = ReadVectorOptions(node, "");
  if (!options.ok()) return;  // the field would not exist
  const VectorOptions& vector = options.value();
  if (vector.element != ElementType::kFloat) writer.Member("element_type", ElementTypeName(vector.element));
  if (vector.dims != 0) writer.Member("dims", vector.dims);
  writer.Member("index", vector.indexed);
  if (vector.indexed) writer.Member("similarity", SimilarityName(vector.similarity));
  if (!vector.index_options_json.empty()) writer.Key("index_options").Raw(vector.index_options_json);
  const std::string_view meta = node.parameter("meta");
  if (meta != "{}") writer.Key("meta").Raw(meta);
}

void WriteLeaf(const Node& node, json::Writer& writer) {
  writer.Member("type", TypeName(node.type));
  if (node.type == FieldType::kDenseVector) {
    WriteVectorParameters(node, writer);
  } else {
    const auto parameters = ParametersOf(node.type);
    for (size_t i = 0; i < parameters.size(); ++i) {
      const std::string& text = node.parameters[i];
      // Searching with the field's own analyzer goes without saying.
      const bool same = parameters[i].name == "search_analyzer" && text == node.parameter("analyzer");
      if (!text.empty() && text != parameters[i].fallback && !same) writer.Key(parameters[i].name).Raw(text);
    }
  }
  WriteChildren(node, "fields", writer);
  if (node.copy_to.empty()) return;
  writer.Key("copy_to").Array([&] {
    for (const std::string& target : node.copy_to) writer.String(target);
  });
}

// {"enabled":true} and the like say nothing that is not so anyway.
bool IsDefaultSource(const std::string& json) {
  return json == "{}" || json == R"({"enabled":true})" || json == R"({"enabled": true})";
}

}  // namespace

void WriteNode(const Node& node, json::Writer& writer) {
  writer.Object([&] {
    if (!node.is_object()) return WriteLeaf(node, writer);
    if (node.type == FieldType::kNested || (node.children.empty() && node.type == FieldType::kObject)) {
      writer.Member("type", TypeName(node.type));
    }
    if (node.include_in_parent) writer.Member("include_in_parent", true);
    if (node.include_in_root) writer.Member("include_in_root", true);
    if (node.dynamic != Dynamic::kInherit) writer.Member("dynamic", DynamicName(node.dynamic));
    if (node.enabled == false) writer.Member("enabled", false);
    WriteChildren(node, "properties", writer);
  });
}

void Mapping::Write(json::Writer& writer) const {
  const RootOptions& options = data_->options;
  const Node& root = data_->root;
  const auto raw = [&writer](std::string_view key, const std::string& json) {
    if (!json.empty()) writer.Key(key).Raw(json);
  };
  writer.Object([&] {
    if (root.dynamic != Dynamic::kInherit) writer.Member("dynamic", DynamicName(root.dynamic));
    if (root.enabled == false) writer.Member("enabled", false);
    raw("_meta", options.meta_json);
    if (options.routing_json != R"({"required":false})") raw("_routing", options.routing_json);
    if (!IsDefaultSource(options.source_json)) raw("_source", options.source_json);
    raw("dynamic_date_formats", options.dynamic_date_formats_json);
    if (options.dynamic_templates_json != "[]") raw("dynamic_templates", options.dynamic_templates_json);
    if (options.date_detection) writer.Member("date_detection", *options.date_detection);
    if (options.numeric_detection) writer.Member("numeric_detection", *options.numeric_detection);
    if (options.runtime_json != "{}") raw("runtime", options.runtime_json);
    WriteChildren(root, "properties", writer);
  });
}

std::string Mapping::ToJson() const {
  std::string out;
  json::Writer writer(out);
  Write(writer);
  return out;
}

}  // namespace tiercel::mapping
