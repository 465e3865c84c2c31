#include "tiercel/server/node_identity.h"

#include <string_view>

#include "tiercel/base/bytes.h"

namespace tiercel::server {
namespace {

constexpr std::string_view kObject = "node/identity";

Result<NodeIdentity> Parse(std::string_view text) {
  const size_t first = text.find('\n');
  const size_t second = first == std::string_view::npos ? first : text.find('\n', first + 1);
  if (second == std::string_view::npos || first == 0 || second == first + 1 || second + 1 != text.size()) {
    return Corruption("[" + std::string(kObject) + "] must hold the node id and the cluster uuid, one a line");
  }
  return NodeIdentity{std::string(text.substr(0, first)), std::string(text.substr(first + 1, second - first - 1))};
}

}  // namespace

Result<NodeIdentity> NodeIdentity::Load(store::ObjectStore& store, Random& random) {
  const Result<Bytes> stored = store.Get(kObject);
  if (stored.ok()) return Parse(AsText(*stored));
  if (stored.error().code() != Code::kNotFound) return stored.error();
  NodeIdentity identity{random.Uuid(), random.Uuid()};
  TIERCEL_TRY(store.Put(kObject, AsBytes(identity.node_id + "\n" + identity.cluster_uuid + "\n")));
  return identity;
}

}  // namespace tiercel::server
