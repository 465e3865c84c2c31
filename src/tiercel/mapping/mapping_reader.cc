#include <algorithm>
#include <charconv>

#include "tiercel/mapping/mapping_data.h"
#include "tiercel/mapping/parameters.h"

namespace tiercel::mapping {
namespace {

Status MapperParsing(std::string message) {
  return InvalidArgument(std::move(message)).WithType("mapper_parsing_exception");
}

Result<bool> ReadNamedBool(std::string_view name, json::Value value) {
  auto flag = ReadBool(value);
  if (flag.ok()) return flag;
  return InvalidArgument("Could not convert [" + std::string(name) + "] to boolean")
      .WithCause(std::move(flag).status());
}

Result<Dynamic> ReadDynamic(std::string_view object, json::Value value) {
  const std::string text = value.ToDisplayString();
  if (text == "strict") return Dynamic::kStrict;
  if (text == "runtime") return Dynamic::kRuntime;
  TIERCEL_TRY_ASSIGN(const bool flag, ReadNamedBool(std::string(object) + ".dynamic", value));
  return flag ? Dynamic::kTrue : Dynamic::kFalse;
}

Status CheckName(std::string_view name) {
  const auto blank = [](std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; };
  if (name.empty()) return InvalidArgument("field name cannot be an empty string");
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find('.', at), name.size());
    if (end == at) return InvalidArgument("field name cannot be an empty string");
    if (blank(name.substr(at, end - at))) return InvalidArgument("field name cannot contain only whitespaces");
    at = end + 1;
  }
  return {};
}

// "[nosuch : {}]", as the messages about left-over parameters list them.
std::string ShowLeftOver(std::string_view key, json::Value value) {
  return " [" + std::string(key) + " : " + (value.is_object() && value.empty() ? "{}" : value.ToDisplayString()) + "]";
}

Status ReadObject(std::string_view name, json::Value declaration, Node& out) {
  for (const auto [key, value] : declaration.members()) {
    if (key == "type") continue;
    if (key == "dynamic") {
      TIERCEL_TRY_ASSIGN(out.dynamic, ReadDynamic(name, value));
    } else if (key == "enabled") {
      TIERCEL_TRY_ASSIGN(out.enabled, ReadNamedBool(std::string(name) + ".enabled", value));
    } else if (key == "subobjects") {
      if (value.ToDisplayString() != "true")
        return MapperParsing("Parameter [subobjects] of [" + std::string(name) + "] may only be [true]");
    } else if (key == "include_in_parent" || key == "include_in_root") {
      if (out.type != FieldType::kNested)
        return MapperParsing("Mapping definition for [" + std::string(name) +
                             "] has unsupported parameters: " + ShowLeftOver(key, value));
      TIERCEL_TRY_ASSIGN(const bool flag, ReadNamedBool(std::string(name) + "." + std::string(key), value));
      (key == "include_in_parent" ? out.include_in_parent : out.include_in_root) = flag;
    } else if (key == "properties") {
      if (value.is_array() && value.empty()) continue;
      if (!value.is_object()) return InvalidArgument("properties must be a map type").WithType("parse_exception");
      TIERCEL_TRY(ReadProperties(value, out));
    } else {
      return MapperParsing("Mapping definition for [" + std::string(name) +
                           "] has unsupported parameters: " + ShowLeftOver(key, value));
    }
  }
  return {};
}

Status ReadCopyTo(std::string_view name, json::Value value, Node& out) {
  if (value.is_string()) {
    out.copy_to.emplace_back(value.as_string());
    return {};
  }
  if (value.is_object()) {
    return MapperParsing("[copy_to] of field [" + std::string(name) + "] must be a field name or a list of them");
  }
  if (!value.is_array()) out.copy_to.push_back(value.ToDisplayString());
  for (const json::Value element : value.elements()) out.copy_to.push_back(element.ToDisplayString());
  return {};
}

Status ReadSubFields(std::string_view name, json::Value fields, Node& out) {
  if (fields.is_array() && fields.empty()) return {};
  if (!fields.is_object()) {
    return MapperParsing("expected map for property [fields] on field [" + std::string(name) + "] but got a " +
                         std::string(json::TokenName(fields.type())));
  }
  for (const auto [key, declaration] : fields.members()) {
    if (key.find('.') != std::string_view::npos) {
      return MapperParsing("Field name [" + std::string(key) + "] which is a multi field of [" + std::string(name) +
                           "] cannot contain '.'");
    }
    Node child;
    TIERCEL_TRY(ReadNode(key, declaration, child));
    if (child.is_object())
      return MapperParsing("Type [" + std::string(TypeName(child.type)) + "] cannot be used in multi field");
    out.children.insert_or_assign(std::string(key), std::move(child));
  }
  return {};
}

Status ReadLeaf(std::string_view name, json::Value declaration, Node& out) {
  const auto parameters = ParametersOf(out.type);
  out.parameters.assign(parameters.size(), {});
  const ParameterContext context{name, out.type};
  for (const auto [key, value] : declaration.members()) {
    if (key == "type") continue;
    if (key == "fields") {
      TIERCEL_TRY(ReadSubFields(name, value, out));
      continue;
    }
    if (key == "copy_to") {
      TIERCEL_TRY(ReadCopyTo(name, value, out));
      continue;
    }
    if (key == "boost") return MapperParsing("Unknown parameter [boost] on mapper [" + std::string(name) + "]");
    const int index = FindParameter(out.type, key);
    if (index < 0) {
      // Left behind by mappings of old.
      if (key == "type2" || key == "include_in_all") continue;
      return MapperParsing("unknown parameter [" + std::string(key) + "] on mapper [" + std::string(name) +
                           "] of type [" + std::string(TypeName(out.type)) + "]");
    }
    TIERCEL_TRY_ASSIGN(out.parameters[static_cast<size_t>(index)],
                       ReadParameter(parameters[static_cast<size_t>(index)], value, context));
  }
  if (out.type == FieldType::kScaledFloat && out.parameter("scaling_factor").empty()) {
    return InvalidArgument("Field [scaling_factor] is required");
  }
  if (out.type == FieldType::kText && out.parameter("position_increment_gap") != "-1") {
    const std::string_view options = out.parameter("index_options");
    if (options != "\"positions\"" && options != "\"offsets\"") {
      return InvalidArgument("Cannot set position_increment_gap on field [" + std::string(name) +
                             "] without positions enabled");
    }
  }
  if (out.type == FieldType::kDenseVector) return CheckVectorParameters(out, name);
  return {};
}

// Puts `child` under a dotted name, making the objects in between.
Status Place(Node& object, std::string_view name, Node child) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) {
    const auto found = object.children.find(name);
    if (found == object.children.end()) {
      object.children.emplace(name, std::move(child));
      return {};
    }
    return MergeNode(found->second, child, std::string(name));
  }
  Node& between = object.children[std::string(name.substr(0, dot))];
  if (!between.is_object()) {
    return InvalidArgument("can't merge a non object mapping [" + std::string(name.substr(0, dot)) +
                           "] with an object mapping");
  }
  return Place(between, name.substr(dot + 1), std::move(child));
}

Status ReadBoolOption(std::string_view name, json::Value value, std::optional<bool>& out) {
  TIERCEL_TRY_ASSIGN(out, ReadNamedBool(name, value));
  return {};
}

Status ReadDateFormats(json::Value value, RootOptions& options) {
  if (!value.is_array()) return MapperParsing("[dynamic_date_formats] must be a list of formats");
  options.dynamic_date_formats_json = value.raw();
  options.dynamic_date_formats.clear();
  for (const json::Value element : value.elements()) {
    options.dynamic_date_formats.push_back(element.ToDisplayString());
    TIERCEL_TRY(DateFormat::Compile(options.dynamic_date_formats.back()).status());
  }
  return {};
}

Status ReadMetadataField(std::string_view name, json::Value value, std::initializer_list<std::string_view> known) {
  if (!value.is_object()) return MapperParsing("[" + std::string(name) + "] config must be an object");
  for (const auto [key, ignored] : value.members()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    return MapperParsing("unknown parameter [" + std::string(key) + "] on metadata field [" + std::string(name) + "]");
  }
  return {};
}

}  // namespace

Status ReadNode(std::string_view name, json::Value declaration, Node& out) {
  if (!declaration.is_object()) {
    return MapperParsing("Expected map for property [fields] on field [" + std::string(name) +
                         "] but got a class java.lang.String");
  }
  const json::Value type = declaration["type"];
  if (type.exists()) {
    const std::string text = type.ToDisplayString();
    const auto found = FindType(text);
    if (!found) {
      return MapperParsing(
          "The mapper type [" + text + "] declared on field [" + std::string(name) +
          "] does not exist. It might have been created within a future version or requires a plugin to be "
          "installed. Check the documentation.");
    }
    out.type = *found;
  } else if (!declaration["properties"].exists()) {
    const bool only_enabled = declaration.size() == 1 && declaration["enabled"].exists();
    if (!only_enabled) return MapperParsing("No type specified for field [" + std::string(name) + "]");
  }
  return out.is_object() ? ReadObject(name, declaration, out) : ReadLeaf(name, declaration, out);
}

Status ReadProperties(json::Value properties, Node& out) {
  for (const auto [name, declaration] : properties.members()) {
    TIERCEL_TRY(CheckName(name));
    const size_t dot = name.rfind('.');
    Node child;
    TIERCEL_TRY(ReadNode(dot == std::string_view::npos ? name : name.substr(dot + 1), declaration, child));
    TIERCEL_TRY(Place(out, name, std::move(child)));
  }
  return {};
}

Status ReadMappings(json::Value mappings, const MappingLimits&, Node& root, RootOptions& options) {
  std::string left_over;
  for (const auto [key, value] : mappings.members()) {
    if (key == "properties") {
      if (value.is_array() && value.empty()) continue;
      if (!value.is_object()) return InvalidArgument("properties must be a map type").WithType("parse_exception");
      TIERCEL_TRY(ReadProperties(value, root));
    } else if (key == "dynamic") {
      TIERCEL_TRY_ASSIGN(root.dynamic, ReadDynamic("dynamic", value));
    } else if (key == "enabled") {
      TIERCEL_TRY(ReadBoolOption(key, value, root.enabled));
    } else if (key == "date_detection") {
      TIERCEL_TRY(ReadBoolOption(key, value, options.date_detection));
    } else if (key == "numeric_detection") {
      TIERCEL_TRY(ReadBoolOption(key, value, options.numeric_detection));
    } else if (key == "dynamic_date_formats" || key == "date_formats") {
      TIERCEL_TRY(ReadDateFormats(value, options));
    } else if (key == "dynamic_templates") {
      TIERCEL_TRY(ReadDynamicTemplates(value, options));
    } else if (key == "_source") {
      TIERCEL_TRY(
          ReadMetadataField(key, value, {"enabled", "mode", "includes", "excludes", "compress", "compress_threshold"}));
      options.source_json = value.raw();
    } else if (key == "_routing") {
      TIERCEL_TRY(ReadMetadataField(key, value, {"required"}));
      options.routing_json = value.raw();
    } else if (key == "_meta") {
      options.meta_json = value.raw();
    } else if (key == "runtime") {
      options.runtime_json = value.raw();
    } else if (key == "subobjects" && value.ToDisplayString() == "true") {
      continue;
    } else {
      left_over += ShowLeftOver(key, value);
    }
  }
  if (!left_over.empty()) return MapperParsing("Root mapping definition has unsupported parameters: " + left_over);
  return {};
}

}  // namespace tiercel::mapping
