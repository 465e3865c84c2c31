#include "tiercel/engine/alias.h"

#include <algorithm>

#include "tiercel/engine/index_name.h"

namespace tiercel::engine {
namespace {

Status BadShape(json::Value at, std::string_view what) {
  const auto [line, column] = at.line_column();
  return InvalidArgument("[" + std::to_string(line) + ":" + std::to_string(column) + "] " + std::string(what))
      .WithType("x_content_parse_exception");
}

Status BadAction(json::Value at, std::string why) {
  return BadShape(at, "[aliases] failed to parse field [actions]").WithCause(InvalidArgument(std::move(why)));
}

bool IsScalarText(json::Value value) { return value.is_string() || value.is_number(); }

Status CheckRouting(std::string_view name, const Alias& alias) {
  if (alias.index_routing && alias.index_routing->find(',') != std::string::npos) {
    return InvalidArgument("alias [" + std::string(name) + "] has several index routing values associated with it");
  }
  return {};
}

// Reads the members that all ways of defining an alias share. False when `key` is none of them or has the wrong type.
bool ReadProperty(std::string_view key, json::Value value, Alias& alias) {
  if (key == "filter" && (value.is_object() || value.is_null())) {
    // An empty filter matches everything: no filter.
    if (value.is_object() && !value.empty()) alias.filter_json = std::string(value.raw());
  } else if ((key == "routing" || key == "index_routing" || key == "indexRouting" || key == "index-routing") &&
             IsScalarText(value)) {
    alias.index_routing = value.ToDisplayString();
    if (key == "routing") alias.search_routing = alias.index_routing;
  } else if ((key == "search_routing" || key == "searchRouting" || key == "search-routing") && IsScalarText(value)) {
    alias.search_routing = value.ToDisplayString();
  } else if (key == "is_write_index" && value.is_bool()) {
    alias.is_write_index = value.as_bool();
  } else if (key == "is_hidden" && value.is_bool()) {
    alias.is_hidden = value.as_bool();
  } else {
    return false;
  }
  return true;
}

// A name or a list of names.
Status ReadNames(json::Value value, std::string_view key, std::vector<std::string>& names) {
  if (value.is_string()) {
    names.emplace_back(value.as_string());
    return {};
  }
  if (!value.is_array())
    return BadAction(
        value, "[" + std::string(key) + "] doesn't support values of type: " + std::string(TokenName(value.type())));
  for (const json::Value name : value.elements()) {
    if (!name.is_string()) return BadAction(name, "[" + std::string(key) + "] may hold names only");
    names.emplace_back(name.as_string());
  }
  return {};
}

Status ReadActionMember(std::string_view key, json::Value value, std::string_view kind, AliasAction& action) {
  const bool removes_index = action.kind == AliasAction::Kind::kRemoveIndex;
  if (key == "index" || key == "indices") {
    if (!action.indices.empty()) return BadAction(value, "Only one of [index] and [indices] is supported");
    return ReadNames(value, key, action.indices);
  }
  if (key == "alias" || key == "aliases") {
    if (removes_index) return BadAction(value, "[" + std::string(key) + "] is unsupported for [REMOVE_INDEX]");
    if (!action.aliases.empty()) return BadAction(value, "Only one of [alias] and [aliases] is supported");
    return ReadNames(value, key, action.aliases);
  }
  if (key == "must_exist" && action.kind != AliasAction::Kind::kAdd && value.is_bool()) {
    action.must_exist = value.as_bool();
    return {};
  }
  if (action.kind == AliasAction::Kind::kAdd && ReadProperty(key, value, action.properties)) return {};
  return BadShape(value, "[aliases] failed to parse field [actions]")
      .WithCause(BadShape(value, "[" + std::string(kind) + "] unknown field [" + std::string(key) + "]"));
}

Result<AliasAction> ParseAction(json::Value entry) {
  if (!entry.is_object() || entry.empty()) return BadShape(entry, "[aliases] failed to parse field [actions]");
  if (entry.size() > 1) return BadAction(entry, "Too many operations declared on operation entry");
  const auto [kind, body] = *entry.members().begin();
  AliasAction action;
  if (kind == "remove")
    action.kind = AliasAction::Kind::kRemove;
  else if (kind == "remove_index")
    action.kind = AliasAction::Kind::kRemoveIndex;
  else if (kind != "add") {
    return BadShape(entry, "[aliases] failed to parse field [actions]")
        .WithCause(BadShape(entry, "[alias_action] unknown field [" + std::string(kind) + "]"));
  }
  if (!body.is_object()) return BadAction(body, "[" + std::string(kind) + "] must be an object");
  for (const auto& [key, value] : body.members()) TIERCEL_TRY(ReadActionMember(key, value, kind, action));
  if (action.indices.empty()) return BadAction(body, "One of [index] or [indices] is required");
  if (action.kind == AliasAction::Kind::kRemoveIndex) return action;
  if (action.aliases.empty()) return BadAction(body, "One of [alias] or [aliases] is required");
  for (const std::string& alias : action.aliases) {
    if (action.kind == AliasAction::Kind::kAdd) TIERCEL_TRY(CheckAliasName(alias));
    TIERCEL_TRY(CheckRouting(alias, action.properties));
  }
  return action;
}

}  // namespace

Result<Alias> ParseAlias(std::string_view name, json::Value body) {
  Alias alias;
  if (!body.exists()) return alias;
  if (!body.is_object()) return InvalidArgument("No alias is specified");
  for (const auto& [key, value] : body.members()) {
    if (ReadProperty(key, value, alias)) continue;
    const std::string where = " in alias [" + std::string(name) + "]";
    if (value.is_string()) {
      return InvalidArgument("Unsupported String type value [" + std::string(value.as_string()) + "] for field [" +
                             std::string(key) + "]" + where);
    }
    if (key == "filter" || value.is_array())
      return InvalidArgument("Unknown token [" + std::string(TokenName(value.type())) + "]" + where);
    return InvalidArgument("Unknown field [" + std::string(key) + "]" + where);
  }
  TIERCEL_TRY(CheckRouting(name, alias));
  return alias;
}

Result<Alias> ParsePutAlias(json::Value body) {
  Alias alias;
  if (!body.exists()) return alias;
  if (!body.is_object()) return InvalidArgument("Unsupported token [" + std::string(TokenName(body.type())) + "]");
  for (const auto& [key, value] : body.members()) {
    if (!ReadProperty(key, value, alias)) return InvalidArgument("Unsupported field [" + std::string(key) + "]");
  }
  TIERCEL_TRY(CheckRouting("", alias));
  return alias;
}

Result<Aliases> ParseAliases(json::Value aliases) {
  Aliases parsed;
  if (!aliases.exists()) return parsed;
  if (!aliases.is_object()) return InvalidArgument("key [aliases] must be an object").WithType("parse_exception");
  for (const auto& [name, body] : aliases.members()) {
    TIERCEL_TRY_ASSIGN(Alias alias, ParseAlias(name, body));
    TIERCEL_TRY(CheckAliasName(name));
    parsed.insert_or_assign(std::string(name), std::move(alias));
  }
  return parsed;
}

void WriteAlias(const Alias& alias, json::Writer& writer) {
  writer.Object([&] {
    if (alias.filter_json) writer.Key("filter").Raw(*alias.filter_json);
    if (alias.index_routing) writer.Member("index_routing", *alias.index_routing);
    if (alias.search_routing) writer.Member("search_routing", *alias.search_routing);
    if (alias.is_write_index) writer.Member("is_write_index", *alias.is_write_index);
    if (alias.is_hidden) writer.Member("is_hidden", *alias.is_hidden);
  });
}

void WriteAliases(const Aliases& aliases, json::Writer& writer) {
  writer.Object([&] {
    for (const auto& [name, alias] : aliases) {
      writer.Key(name);
      WriteAlias(alias, writer);
    }
  });
}

Result<std::vector<AliasAction>> ParseAliasActions(json::Value body) {
  std::vector<AliasAction> actions;
  if (body.exists() && !body.is_object()) {
    return BadShape(body, "[aliases] Expected START_OBJECT but was: " + std::string(TokenName(body.type())));
  }
  if (body.exists()) {
    for (const auto& [key, value] : body.members()) {
      if (key != "actions") return BadShape(value, "[aliases] unknown field [" + std::string(key) + "]");
      if (!value.is_array())
        return BadShape(value,
                        "[aliases] actions doesn't support values of type: " + std::string(TokenName(value.type())));
      for (const json::Value entry : value.elements()) {
        TIERCEL_TRY_ASSIGN(AliasAction action, ParseAction(entry));
        actions.push_back(std::move(action));
      }
    }
  }
  if (actions.empty()) return InvalidArgument("No action specified");
  return actions;
}

bool AliasUpdateResult::errors() const {
  return std::any_of(statuses.begin(), statuses.end(), [](const Status& status) { return !status.ok(); });
}

}  // namespace tiercel::engine
