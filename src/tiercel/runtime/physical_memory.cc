#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string>

#include "tiercel/runtime/memory_budget.h"

namespace tiercel::runtime {
namespace {

// The number a one-line limit file holds; nothing when it is missing or says "max".
std::optional<uint64_t> ReadLimit(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (error != std::errc() || end == line.data() || value == 0) return std::nullopt;
  return value;
}

}  // namespace

uint64_t CgroupMemoryLimit(const std::string& cgroup_file, const std::string& mount) {
  uint64_t limit = UINT64_MAX;
  const auto lower = [&limit](const std::string& directory, const char* file) {
    if (const auto found = ReadLimit(directory + "/" + file)) limit = std::min(limit, *found);
  };
  // Inside a container the group's own path is often not visible and the root of the mount is the container's group, so
  // every level from the group up to the mount is asked: the smallest limit on the way holds.
  const auto walk = [&lower](const std::string& root, std::string path, const char* file) {
    while (!path.empty() && path != "/") {
      lower(root + path, file);
      path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    }
    lower(root, file);
  };
  std::ifstream groups(cgroup_file);
  for (std::string line; std::getline(groups, line);) {
    // "0::/path" is version 2; "9:memory:/path" is version 1.
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") walk(mount, path, "memory.max");
    if (controllers.find(",memory,") != std::string::npos) walk(mount + "/memory", path, "memory.limit_in_bytes");
  }
  return limit;
}

uint64_t MemoryBudget::PhysicalMemoryBytes() {
  const auto pages = static_cast<uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES)));
  const auto page_bytes = static_cast<uint64_t>(std::max(0L, sysconf(_SC_PAGE_SIZE)));
  return std::min(pages * page_bytes, CgroupMemoryLimit("/proc/self/cgroup", "/sys/fs/cgroup"));
}

}  // namespace tiercel::runtime
