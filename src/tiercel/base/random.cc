#include "tiercel/base/random.h"

#include <random>

namespace tiercel {

Random Random::FromEntropy() {
  std::random_device device;
  return Random((static_cast<uint64_t>(device()) << 32) | device());
}

std::string Random::Uuid() {
  static constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string id;
  unsigned __int128 bits = (static_cast<unsigned __int128>(Next()) << 64) | Next();
  for (int i = 0; i < 22; ++i, bits >>= 6) id += kAlphabet[static_cast<unsigned>(bits & 63)];
  // An id must not start with '_' or '-' where it becomes an index name or a path segment.
  if (id[0] == '_' || id[0] == '-') id[0] = 'A';
  return id;
}

}  // namespace tiercel
