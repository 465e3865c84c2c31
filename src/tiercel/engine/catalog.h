// Catalog: the indices of a node by name, and what index expressions mean.
//
// Thread safety: all methods from any thread; a mutex guards the map only, never I/O. Cost: a plain name is one
// look-up, an alias or a pattern a walk over all indices.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/mutex.h"
#include "tiercel/base/result.h"
#include "tiercel/engine/engine.h"
#include "tiercel/engine/index.h"

namespace tiercel::engine {

// An index that an expression resolved to, and how: by its own name, or only through aliases.
struct ResolvedIndex {
  std::shared_ptr<Index> index;
  IndexMetadataPtr metadata;
  bool direct = false;
  std::vector<std::string> aliases;
};

// Where single-document operations on a name go.
struct ResolvedWrite {
  std::shared_ptr<Index> index;
  IndexMetadataPtr metadata;
  std::optional<Alias> alias;  // by which it was found
};

class Catalog {
 public:
  // False when the name is taken.
  bool Add(std::shared_ptr<Index> index);
  void Remove(std::string_view name);
  std::shared_ptr<Index> Find(std::string_view name) const;
  std::vector<std::shared_ptr<Index>> All() const;  // sorted by name
  bool IsAlias(std::string_view name) const;

  // Whether every alias still has one write index at most, given what the aliases of some indices (new ones too)
  // become.
  Status CheckWriteIndices(const std::map<std::string, Aliases, std::less<>>& changed) const;

  // Sorted by name. Errors as Elasticsearch has them.
  Result<std::vector<ResolvedIndex>> Resolve(std::string_view expression, const IndicesOptions& options) const;
  // The index a write to `name` goes to; null when neither index nor alias has the name.
  Result<ResolvedWrite> ResolveWrite(std::string_view name) const;
  // The one index a read of one document goes to; index_not_found_exception when there is none.
  Result<ResolvedWrite> ResolveGet(std::string_view name) const;

 private:
  using Found = std::map<std::string, ResolvedIndex, std::less<>>;
  Status AddPattern(std::string_view pattern, const IndicesOptions& options, Found& found) const REQUIRES(mutex_);
  Status AddName(std::string_view name, const IndicesOptions& options, Found& found) const REQUIRES(mutex_);
  // Indices that have the alias.
  std::vector<std::pair<std::shared_ptr<Index>, IndexMetadataPtr>> WithAlias(std::string_view alias) const
      REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<Index>, std::less<>> indices_ GUARDED_BY(mutex_);
};

}  // namespace tiercel::engine
