// Making Inputs: from memory, from a local file, from an object of a store. checked_input.h puts verification on top.
//
// Thread safety: free functions; see input.h for what they return. Lifetime: an Input owns its mapping or memory, so a
// mapped file that is deleted stays readable until the last Input (or Borrowed pin) goes.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "tiercel/base/result.h"
#include "tiercel/cache/input.h"
#include "tiercel/store/object_store.h"

namespace tiercel::cache {

// An Input over a copy of `bytes` that starts on a 64-byte boundary.
std::shared_ptr<const Input> MakeMemoryInput(std::string name, ByteSpan bytes);

// Maps a local file, which must not shrink while the Input lives. Cost: no reading; pages come when touched.
Result<std::shared_ptr<const Input>> MapFile(const std::filesystem::path& path, std::string name);

// Maps the object where the store keeps it as a local file, and otherwise reads it into memory whole.
Result<std::shared_ptr<const Input>> OpenObject(const store::ObjectStore& store, std::string_view name);

}  // namespace tiercel::cache
