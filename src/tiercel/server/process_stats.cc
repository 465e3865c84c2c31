#include "tiercel/server/process_stats.h"

#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace tiercel::server {
namespace {

// "VmRSS:     1234 kB" → the number times `unit`.
bool ReadField(const std::string& line, std::string_view name, uint64_t unit, uint64_t& value) {
  if (line.compare(0, name.size(), name) != 0) return false;
  value = std::strtoull(line.c_str() + name.size(), nullptr, 10) * unit;
  return true;
}

}  // namespace

ProcessStats ReadProcessStats() {
  ProcessStats stats;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    ReadField(line, "VmRSS:", 1024, stats.resident_bytes) ||
        ReadField(line, "VmHWM:", 1024, stats.peak_resident_bytes) ||
        ReadField(line, "VmSize:", 1024, stats.virtual_bytes) || ReadField(line, "Threads:", 1, stats.threads);
  }
  std::error_code error;
  for (auto at = std::filesystem::directory_iterator("/proc/self/fd", error);
       !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    ++stats.open_files;
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) stats.open_files_max = limit.rlim_cur;
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    stats.cpu_ms = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
                   (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
  }
  return stats;
}

MachineStats ReadMachineStats() {
  MachineStats stats;
  std::ifstream memory("/proc/meminfo");
  for (std::string line; std::getline(memory, line);) {
    ReadField(line, "MemTotal:", 1024, stats.memory_total_bytes) ||
        ReadField(line, "MemAvailable:", 1024, stats.memory_available_bytes);
  }
  if (getloadavg(stats.load.data(), 3) < 3) stats.load = {};
  return stats;
}

DiskStats ReadDiskStats(const std::string& path) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(path, error);
  if (error) return {};
  return {space.capacity, space.available};
}

}  // namespace tiercel::server
