// Texts of settings: JSON objects of them flattened and written back, and their numbers, times and sizes read.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tiercel/base/result.h"
#include "tiercel/json/value.h"

namespace tiercel::engine {

// Full name → value, or nothing for a null: reset.
using SettingChanges = std::map<std::string, std::optional<std::string>, std::less<>>;

// Nested and dotted names become full ones, "index." is put before those that lack it. Lists are kept as kListMark and
// JSON.
Result<SettingChanges> FlattenSettings(json::Value settings);

Result<int64_t> ParseInteger(std::string_view text, std::string_view setting, int64_t min, int64_t max);

}  // namespace tiercel::engine
