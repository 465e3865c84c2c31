// Test support: damage that checksums cannot see, and a reader that touches everything a damaged segment offers.
#pragma once

#include "tiercel/base/bytes.h"
#include "tiercel/segment/source.h"

namespace tiercel::segment {

// Recomputes every checksum of a container whose footer is sound, as an attacker or a bug in a writer would.
void Reseal(Bytes& object);
// Calls every reader, whatever it answers: it must answer. Bounded work on any segment.
void ReadEverything(const Segment& segment);

}  // namespace tiercel::segment
