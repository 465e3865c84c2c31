// Which kernel table runs. Thread safety: pure functions. Cost: TableFor a switch; Active() one load after the first
// call.
#pragma once

#include "tiercel/simd/cpu.h"
#include "tiercel/simd/kernel_table.h"

namespace tiercel::simd {

// The kernels of a level, or null when this build has none for it. The caller makes sure that the machine runs it.
const KernelTable* TableFor(Level level);

// What `forced` (the value of TIERCEL_SIMD, null when unset) makes of the detected level: it can lower it, never raise
// it, and a name we do not know changes nothing.
Level ChooseLevel(Level detected, const char* forced);

}  // namespace tiercel::simd
