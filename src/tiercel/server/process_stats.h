// What the operating system says about this process and machine, for _nodes/stats, _cat/nodes and the metrics page.
//
// Thread safety: free functions. Cost: a few small files of /proc; never on a hot path.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace tiercel::server {

struct ProcessStats {
  uint64_t resident_bytes = 0, peak_resident_bytes = 0, virtual_bytes = 0, threads = 0;
  uint64_t open_files = 0, open_files_max = 0;
  int64_t cpu_ms = 0;
};
ProcessStats ReadProcessStats();

struct MachineStats {
  uint64_t memory_total_bytes = 0, memory_available_bytes = 0;
  std::array<double, 3> load{};  // 1, 5 and 15 minutes
};
MachineStats ReadMachineStats();

struct DiskStats {
  uint64_t total_bytes = 0, available_bytes = 0;
};
DiskStats ReadDiskStats(const std::string& path);

}  // namespace tiercel::server
