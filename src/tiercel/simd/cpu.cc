#include "tiercel/simd/cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tiercel::simd {
namespace {

constexpr std::string_view kNames[] = {"scalar", "avx2", "avx512", "avx512vnni"};

#if defined(__x86_64__)

struct Registers {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers Cpuid(unsigned leaf) {
  Registers r;
  if (!__get_cpuid_count(leaf, 0, &r.eax, &r.ebx, &r.ecx, &r.edx)) r = {};
  return r;
}

// Register states the operating system saves; 0 when it does not use XSAVE. The instruction is written out because its
// intrinsic needs a target flag this unit must not have.
uint64_t EnabledStates(const Registers& leaf1) {
  if (!(leaf1.ecx & bit_OSXSAVE)) return 0;
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<uint64_t>(high) << 32) | low;
}

#endif

}  // namespace

std::string_view LevelName(Level level) { return kNames[static_cast<unsigned>(level)]; }

std::optional<Level> ParseLevel(std::string_view name) {
  for (const Level level : kLevels)
    if (LevelName(level) == name) return level;
  return std::nullopt;
}

Level DetectLevel() {
#if defined(__x86_64__)
  constexpr uint64_t kYmm = 0x06;  // XMM and upper YMM halves
  constexpr uint64_t kZmm = 0xe6;  // and opmasks, upper ZMM halves, ZMM16-31
  const Registers leaf1 = Cpuid(1), leaf7 = Cpuid(7);
  const uint64_t states = EnabledStates(leaf1);
  const bool avx2 = (states & kYmm) == kYmm && (leaf1.ecx & bit_FMA) && (leaf7.ebx & bit_AVX2);
  if (!avx2) return Level::kScalar;
  constexpr unsigned kFoundation = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
  if ((states & kZmm) != kZmm || (leaf7.ebx & kFoundation) != kFoundation) return Level::kAvx2;
  constexpr unsigned kInteger = bit_AVX512VNNI | bit_AVX512VPOPCNTDQ;
  return (leaf7.ecx & kInteger) == kInteger ? Level::kAvx512Vnni : Level::kAvx512;
#else
  return Level::kScalar;
#endif
}

}  // namespace tiercel::simd
