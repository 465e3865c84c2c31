#include "tiercel/mapping/mapping_data.h"
#include "tiercel/mapping/parameters.h"

namespace tiercel::mapping {
namespace {

// A parameter's value as messages show it.
std::string Shown(std::string_view json) {
  if (json.empty()) return "null";
  const auto document = json::Document::Parse(json);
  return document.ok() ? document.value().root().ToDisplayString() : std::string(json);
}

// The index options a vector field ends up with, given or not.
std::string ResolvedIndexOptions(const Node& node) {
  const auto options = ReadVectorOptions(node, "");
  return options.ok() ? options.value().index_options_json : std::string();
}

// A node's parameter as conflicts show it.
std::string ShownParameter(const Node& node, const Parameter& parameter) {
  const bool options = parameter.name == "index_options" && node.type == FieldType::kDenseVector;
  return options ? ShowIndexOptions(ResolvedIndexOptions(node)) : Shown(node.parameter(parameter.name));
}

// Whether a parameter that is fixed in general may go from `from` to `to` after all.
bool MayChange(const Node& node, const Node& update, const Parameter& parameter, std::string_view from,
               std::string_view to) {
  if (parameter.updateable || from == to) return true;
  if (parameter.name == "norms") return from == "true" && to == "false";
  if (parameter.name == "dims") return from.empty();
  if (parameter.name == "index_options" && node.type == FieldType::kDenseVector) {
    const std::string before = ResolvedIndexOptions(node), after = ResolvedIndexOptions(update);
    return before == after || before.empty() || after.empty() || MayChangeIndexOptions(before, after);
  }
  return false;
}

Status MergeLeaf(Node& node, const Node& update, const std::string& path) {
  if (node.type != update.type) {
    return InvalidArgument("mapper [" + path + "] cannot be changed from type [" + std::string(TypeName(node.type)) +
                           "] to [" + std::string(TypeName(update.type)) + "]");
  }
  std::string conflicts;
  for (const Parameter& parameter : ParametersOf(node.type)) {
    const std::string_view from = node.parameter(parameter.name), to = update.parameter(parameter.name);
    if (MayChange(node, update, parameter, from, to)) continue;
    conflicts += "\n\tCannot update parameter [" + std::string(parameter.name) + "] from [" +
                 ShownParameter(node, parameter) + "] to [" + ShownParameter(update, parameter) + "]";
  }
  if (!conflicts.empty())
    return InvalidArgument("Mapper for [" + path + "] conflicts with existing mapper:" + conflicts);
  std::vector<std::string> parameters = update.parameters;
  if (node.type == FieldType::kDenseVector) {
    // Dimensions and index options that were settled stay so when an update does not mention them.
    for (const std::string_view name : {"dims", "index_options"}) {
      const size_t index = static_cast<size_t>(FindParameter(node.type, name));
      if (parameters[index].empty()) parameters[index] = node.parameters[index];
    }
  }
  node.parameters = std::move(parameters);
  node.copy_to = update.copy_to;
  return {};
}

Status MergeObject(Node& node, const Node& update, const std::string& path) {
  if (node.type != update.type) {
    return InvalidArgument("can't merge a non-nested mapping [" + path + "] with a nested mapping");
  }
  if (update.enabled && *update.enabled != node.enabled.value_or(true)) {
    return Internal("the [enabled] parameter can't be updated for the object mapping [" + path + "]")
        .WithType("mapper_exception");
  }
  if (update.dynamic != Dynamic::kInherit) node.dynamic = update.dynamic;
  return {};
}

}  // namespace

Status MergeNode(Node& node, const Node& update, const std::string& path) {
  if (node.is_object() != update.is_object()) {
    return InvalidArgument("can't merge a non object mapping [" + path + "] with an object mapping");
  }
  TIERCEL_TRY(node.is_object() ? MergeObject(node, update, path) : MergeLeaf(node, update, path));
  for (const auto& [name, child] : update.children) {
    const auto found = node.children.find(name);
    if (found == node.children.end()) {
      node.children.emplace(name, child);
    } else {
      TIERCEL_TRY(MergeNode(found->second, child, path.empty() ? name : path + "." + name));
    }
  }
  return {};
}

namespace {

// {"required":true} under "_routing".
std::string_view RoutingRequired(const std::string& json) {
  const auto document = json::Document::Parse(json);
  const bool required = document.ok() && document.value().root()["required"].ToDisplayString() == "true";
  return required ? "true" : "false";
}

}  // namespace

Status CheckOptionsUpdate(const RootOptions& options, const RootOptions& update) {
  if (update.routing_json.empty()) return {};
  const std::string_view from = RoutingRequired(options.routing_json), to = RoutingRequired(update.routing_json);
  if (from == to) return {};
  return InvalidArgument(
      "Mapper for [_routing] conflicts with existing mapper:\n\tCannot update parameter [required] from [" +
      std::string(from) + "] to [" + std::string(to) + "]");
}

Status MergeOptions(RootOptions& options, const RootOptions& update) {
  if (update.date_detection) options.date_detection = update.date_detection;
  if (update.numeric_detection) options.numeric_detection = update.numeric_detection;
  if (!update.dynamic_date_formats_json.empty()) {
    options.dynamic_date_formats_json = update.dynamic_date_formats_json;
    options.dynamic_date_formats = update.dynamic_date_formats;
  }
  if (!update.dynamic_templates_json.empty()) {
    options.dynamic_templates_json = update.dynamic_templates_json;
    options.dynamic_templates = update.dynamic_templates;
  }
  for (const auto member :
       {&RootOptions::source_json, &RootOptions::routing_json, &RootOptions::meta_json, &RootOptions::runtime_json}) {
    if (!(update.*member).empty()) options.*member = update.*member;
  }
  return {};
}

}  // namespace tiercel::mapping
