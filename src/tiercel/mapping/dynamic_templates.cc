#include <algorithm>

#include "tiercel/mapping/dynamic.h"
#include "tiercel/mapping/mapping_data.h"

namespace tiercel::mapping {
namespace {

constexpr std::string_view kMatchTypes[] = {"object", "string", "long", "double", "boolean", "date", "binary"};
constexpr std::string_view kMatchTypeList = "object, string, long, double, boolean, date, binary";

Status MapperParsing(std::string message) {
  return InvalidArgument(std::move(message)).WithType("mapper_parsing_exception");
}

std::vector<std::string> ReadStrings(json::Value value) {
  std::vector<std::string> out;
  if (!value.is_array()) out.push_back(value.ToDisplayString());
  for (const json::Value element : value.elements()) out.push_back(element.ToDisplayString());
  return out;
}

Status CheckMatchTypes(const std::vector<std::string>& types) {
  for (const std::string& type : types) {
    if (type == "*" || std::find(std::begin(kMatchTypes), std::end(kMatchTypes), type) != std::end(kMatchTypes))
      continue;
    return InvalidArgument("No field type matched on [" + type + "], possible values are [" +
                           std::string(kMatchTypeList) + "]");
  }
  return {};
}

Status ReadTemplate(std::string_view name, json::Value body, DynamicTemplate& out) {
  out.name = name;
  for (const auto [key, value] : body.members()) {
    if (key == "match_mapping_type")
      out.mapping_types = ReadStrings(value);
    else if (key == "unmatch_mapping_type")
      out.unmatch_mapping_types = ReadStrings(value);
    else if (key == "match")
      out.match = ReadStrings(value);
    else if (key == "unmatch")
      out.unmatch = ReadStrings(value);
    else if (key == "path_match")
      out.path_match = ReadStrings(value);
    else if (key == "path_unmatch")
      out.path_unmatch = ReadStrings(value);
    else if (key == "mapping")
      out.mapping_json = value.raw();
    else if (key == "runtime")
      out.runtime = true;
    else if (key == "match_pattern") {
      const std::string kind = value.ToDisplayString();
      if (kind != "simple" && kind != "regex") {
        return InvalidArgument("No matching pattern matched on [" + kind + "], possible values are [simple, regex]");
      }
      out.regex = kind == "regex";
    } else {
      return InvalidArgument("Illegal dynamic template parameter: [" + std::string(key) + "]");
    }
  }
  TIERCEL_TRY(CheckMatchTypes(out.mapping_types));
  TIERCEL_TRY(CheckMatchTypes(out.unmatch_mapping_types));
  if (out.mapping_json.empty() && !out.runtime)
    return MapperParsing("template [" + out.name + "] must have either mapping or runtime set");
  return {};
}

// A template whose mapping cannot be read for any type it matches is refused at once.
Status CheckTemplate(const DynamicTemplate& candidate, json::Value body) {
  if (candidate.runtime) return {};
  std::vector<std::string> types = candidate.mapping_types;
  if (types.empty() || types[0] == "*") types.assign(std::begin(kMatchTypes), std::end(kMatchTypes));
  Status problem;
  for (const std::string& type : types) {
    const std::string text = FillTemplate(candidate, "__dynamic__" + candidate.name, type);
    const auto document = json::Document::Parse(text);
    if (!document.ok()) return MapperParsing("dynamic template [" + candidate.name + "] is no valid mapping");
    Node node;
    problem = ReadNode("__dynamic__" + candidate.name, document.value().root(), node);
    if (problem.ok()) return {};
  }
  std::string tried;
  for (const std::string& type : types) tried += (tried.empty() ? "" : ", ") + type;
  std::string shown;
  json::Writer(shown).CopyCompact(body);
  return InvalidArgument("dynamic template [" + candidate.name + "] has invalid content [" + shown +
                         "], attempted to validate it with the following match_mapping_type: [" + tried + "]")
      .WithCause(std::move(problem));
}

bool AnyMatches(const std::vector<std::string>& patterns, std::string_view text, bool regex) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return regex ? MatchesRegex(pattern, text) : MatchesPattern(pattern, text);
  });
}

std::string DefaultTypeName(std::string_view match_type) {
  if (match_type == "string") return "text";
  if (match_type == "double") return "float";
  return std::string(match_type);
}

void ReplaceAll(std::string& text, std::string_view what, std::string_view with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

}  // namespace

Status ReadDynamicTemplates(json::Value templates, RootOptions& options) {
  const char* const syntax = "Dynamic template syntax error. An array of named objects is expected.";
  if (!templates.is_array()) return MapperParsing(syntax);
  options.dynamic_templates.clear();
  options.dynamic_templates_json = templates.raw();
  for (const json::Value named : templates.elements()) {
    if (!named.is_object() || named.size() != 1) return MapperParsing(syntax);
    for (const auto [name, body] : named.members()) {
      if (!body.is_object()) return MapperParsing(syntax);
      DynamicTemplate candidate;
      TIERCEL_TRY(ReadTemplate(name, body, candidate));
      TIERCEL_TRY(CheckTemplate(candidate, body));
      options.dynamic_templates.push_back(std::move(candidate));
    }
  }
  return {};
}

const DynamicTemplate* FindTemplate(const RootOptions& options, std::string_view path, std::string_view name,
                                    std::string_view match_type) {
  for (const DynamicTemplate& candidate : options.dynamic_templates) {
    const auto has = [match_type](const std::vector<std::string>& types) {
      return std::any_of(types.begin(), types.end(),
                         [&](const std::string& type) { return type == "*" || type == match_type; });
    };
    if (!candidate.mapping_types.empty() && !has(candidate.mapping_types)) continue;
    if (has(candidate.unmatch_mapping_types)) continue;
    if (!candidate.path_match.empty() && !AnyMatches(candidate.path_match, path, candidate.regex)) continue;
    if (AnyMatches(candidate.path_unmatch, path, candidate.regex)) continue;
    if (!candidate.match.empty() && !AnyMatches(candidate.match, name, candidate.regex)) continue;
    if (AnyMatches(candidate.unmatch, name, candidate.regex)) continue;
    return &candidate;
  }
  return nullptr;
}

std::string FillTemplate(const DynamicTemplate& chosen, std::string_view name, std::string_view match_type) {
  std::string text = chosen.mapping_json;
  const std::string type = DefaultTypeName(match_type);
  std::string quoted;
  json::AppendQuoted(name, quoted);
  ReplaceAll(text, "{name}", std::string_view(quoted).substr(1, quoted.size() - 2));
  ReplaceAll(text, "{dynamic_type}", type);
  ReplaceAll(text, "{dynamicType}", type);
  const auto document = json::Document::Parse(text);
  if (!document.ok() || document.value().root()["type"].exists() || document.value().root()["properties"].exists())
    return text;
  const bool empty = document.value().root().empty();
  return "{\"type\":\"" + type + "\"" + (empty ? "" : ",") + text.substr(text.find('{') + 1);
}

}  // namespace tiercel::mapping
