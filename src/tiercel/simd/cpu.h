// Which instruction sets this machine can run, and which of our kernel levels that makes usable.
//
// A flag counts only when the CPU has it and the operating system saves its registers (XCR0): virtual machines exist
// that show the first without the second. Thread safety: pure functions. Cost: a few CPUID instructions; call once.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tiercel::simd {

// Levels in ascending order: a machine that runs one runs all before it.
enum class Level : uint8_t {
  kScalar,      // the x86-64-v2 baseline, or any other CPU
  kAvx2,        // AVX2 and FMA
  kAvx512,      // AVX-512 F, BW, DQ, VL
  kAvx512Vnni,  // the same with VNNI and VPOPCNTDQ (Ice Lake, Zen 4)
};
inline constexpr Level kLevels[] = {Level::kScalar, Level::kAvx2, Level::kAvx512, Level::kAvx512Vnni};

std::string_view LevelName(Level level);  // "scalar", "avx2", "avx512", "avx512vnni"
std::optional<Level> ParseLevel(std::string_view name);
// The highest level this machine runs.
Level DetectLevel();

}  // namespace tiercel::simd
