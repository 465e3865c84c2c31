// DataDirectory: the node's own directory, locked against a second process, with the identity the node keeps across
// restarts.
//
// Files: `node.lock` (advisory lock, held while we run) and `node.identity` (node id and cluster uuid, one a line).
// Thread safety: immutable once open. Lifetime: the lock goes with the object, or with the process.
#pragma once

#include <string>

#include "tiercel/base/random.h"
#include "tiercel/base/result.h"

namespace tiercel::server {

class DataDirectory {
 public:
  // Makes the directory if need be. Unavailable when another process holds the lock; Corruption for an identity it
  // cannot read.
  static Result<DataDirectory> Open(const std::string& path, Random& random);

  DataDirectory(DataDirectory&& other) noexcept;
  DataDirectory& operator=(DataDirectory&&) = delete;
  ~DataDirectory();

  const std::string& path() const { return path_; }
  const std::string& node_id() const { return node_id_; }
  const std::string& cluster_uuid() const { return cluster_uuid_; }

 private:
  DataDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  Status LoadIdentity(Random& random);

  std::string path_;
  int lock_;
  std::string node_id_, cluster_uuid_;
};

}  // namespace tiercel::server
