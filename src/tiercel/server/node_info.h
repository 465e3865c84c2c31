// NodeInfo: who this node is, as the node and cluster APIs show it.
//
// Thread safety: immutable but for http_address, which is set once, when the port is known.
#pragma once

#include <string>

#include "tiercel/base/mutex.h"

namespace tiercel::server {

class NodeInfo {
 public:
  NodeInfo(std::string node_name, std::string node_id, std::string cluster_name, std::string cluster_uuid,
           int64_t start_ms)
      : name(std::move(node_name)),
        id(std::move(node_id)),
        cluster(std::move(cluster_name)),
        cluster_id(std::move(cluster_uuid)),
        started_ms(start_ms) {}

  const std::string name, id, cluster, cluster_id;
  const int64_t started_ms;
  uint64_t content_length_max = 100ull << 20;  // set before the server starts

  std::string http_address() const {
    MutexLock lock(mutex_);
    return http_address_;
  }
  void set_http_address(std::string address) {
    MutexLock lock(mutex_);
    http_address_ = std::move(address);
  }

 private:
  mutable Mutex mutex_;
  std::string http_address_ GUARDED_BY(mutex_);
};

}  // namespace tiercel::server
