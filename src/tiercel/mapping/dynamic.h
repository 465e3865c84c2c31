// Dynamic mapping: what field an unmapped value of a document becomes. Internal to the module.
//
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tiercel/json/value.h"
#include "tiercel/mapping/mapping_data.h"

namespace tiercel::mapping {

// The first template that wants a field of this name and kind ("string", "long", ...).
const DynamicTemplate* FindTemplate(const RootOptions& options, std::string_view path, std::string_view name,
                                    std::string_view match_type);
// Its mapping as JSON, placeholders filled in and a type given.
std::string FillTemplate(const DynamicTemplate& chosen, std::string_view name, std::string_view match_type);
// Whether all of `text` matches a regular expression; false when that is malformed.
bool MatchesRegex(const std::string& pattern, std::string_view text);

// The declaration of the field that a scalar becomes: {"type":"long"}. Nothing when a runtime template takes it.
std::optional<std::string> DeclareDynamicField(const RootOptions& options, std::string_view path, std::string_view name,
                                               json::Value value);
// The declaration of the object that an object becomes, if a template says so.
std::optional<std::string> DeclareDynamicObject(const RootOptions& options, std::string_view path,
                                                std::string_view name);

}  // namespace tiercel::mapping
