#include "tiercel/server/node_identity.h"

#include <cstdio>
#include <string_view>

#include "tiercel/base/bytes.h"
#include "tiercel/format/checksum.h"

namespace tiercel::server {
namespace {

std::string ChecksumLine(std::string_view lines) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(format::Checksum(AsBytes(lines))));
  return std::string(digits) + "\n";
}

Result<NodeIdentity> Parse(std::string_view text) {
  const Status bad = Corruption(std::string(NodeIdentity::kObject) +
                                " must hold the node id, the cluster uuid and their checksum, one a line")
                         .With("object", NodeIdentity::kObject);
  const size_t first = text.find('\n');
  if (first == std::string_view::npos || first == 0) return bad;
  const size_t second = text.find('\n', first + 1);
  if (second == std::string_view::npos || second == first + 1) return bad;
  if (text.substr(second + 1) != ChecksumLine(text.substr(0, second + 1))) return bad;
  return NodeIdentity{std::string(text.substr(0, first)), std::string(text.substr(first + 1, second - first - 1))};
}

}  // namespace

Result<NodeIdentity> NodeIdentity::Read(const store::ObjectStore& store) {
  TIERCEL_TRY_ASSIGN(const Bytes stored, store.Get(kObject));
  return Parse(AsText(stored));
}

Result<NodeIdentity> NodeIdentity::Load(store::ObjectStore& store, Random& random) {
  Result<NodeIdentity> stored = Read(store);
  if (stored.ok() || stored.error().code() != Code::kNotFound) return stored;
  NodeIdentity identity{random.Uuid(), random.Uuid()};
  const std::string lines = identity.node_id + "\n" + identity.cluster_uuid + "\n";
  TIERCEL_TRY(store.Put(kObject, AsBytes(lines + ChecksumLine(lines))));
  return identity;
}

}  // namespace tiercel::server
