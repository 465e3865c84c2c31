// What the sources of Engine share. Private to the module.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tiercel/base/mutex.h"
#include "tiercel/base/random.h"
#include "tiercel/engine/catalog.h"
#include "tiercel/engine/engine.h"

namespace tiercel::engine {

struct Engine::State {
  explicit State(EngineOptions engine_options)
      : options(engine_options),
        random(engine_options.uuid_seed != 0 ? Random(engine_options.uuid_seed) : Random::FromEntropy()) {}

  std::string NewUuid() {
    MutexLock lock(random_mutex);
    return random.Uuid();
  }

  const EngineOptions options;
  Catalog catalog;
  // Held, across store I/O, by whatever adds or removes names: creating and deleting indices, changing aliases.
  Mutex names_mutex;
  Mutex random_mutex;
  Random random GUARDED_BY(random_mutex);
  std::vector<Status> recovery_problems;  // written by Open only
};

// What an alias request does, before any of it is stored.
struct Engine::AliasPlan {
  std::map<std::string, Aliases, std::less<>> aliases;  // by index name: what it has afterwards
  std::vector<std::shared_ptr<Index>> indices_to_remove;
};

// failed to parse filter for alias [x], with the cause, when `alias` has a filter that no search could use on
// `metadata`.
Status CheckAliasFilter(std::string_view name, const Alias& alias, const IndexMetadata& metadata,
                        const EngineOptions& options);

}  // namespace tiercel::engine
