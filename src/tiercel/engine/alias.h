// Aliases of an index, and the body of POST _aliases.
//
// Thread safety: values and pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/json/value.h"
#include "tiercel/json/writer.h"

namespace tiercel::engine {

struct Alias {
  std::optional<std::string> filter_json;
  std::optional<std::string> index_routing;
  std::optional<std::string> search_routing;
  std::optional<bool> is_write_index;
  std::optional<bool> is_hidden;

  bool operator==(const Alias&) const = default;
};
using Aliases = std::map<std::string, Alias, std::less<>>;  // by name

// The object of one alias: {"filter":…, "routing":…, "is_write_index":…}. A default Value gives a plain alias.
Result<Alias> ParseAlias(std::string_view name, json::Value body);
// The body of PUT INDEX/_alias/NAME: the same members, other words for what is wrong.
Result<Alias> ParsePutAlias(json::Value body);
// {"name":{…}, …}, as in a create-index body.
Result<Aliases> ParseAliases(json::Value aliases);
// The object of one alias, as GET _alias shows it.
void WriteAlias(const Alias& alias, json::Writer& writer);
void WriteAliases(const Aliases& aliases, json::Writer& writer);

struct AliasAction {
  enum class Kind { kAdd, kRemove, kRemoveIndex } kind = Kind::kAdd;
  std::vector<std::string> indices;  // expressions
  std::vector<std::string> aliases;  // names; patterns allowed in kRemove
  Alias properties;                  // kAdd
  std::optional<bool> must_exist;    // kRemove
};
// {"actions":[{"add":{…}}, …]}.
Result<std::vector<AliasAction>> ParseAliasActions(json::Value body);

// What became of each action: an action that removes nothing fails alone (unless all do, which fails the request).
struct AliasUpdateResult {
  std::vector<AliasAction> actions;
  std::vector<Status> statuses;  // of actions[i]
  bool errors() const;
};

}  // namespace tiercel::engine
