// Cutting printed vectors out of sources: a vector's array is not stored as text when its column can print the same
// bytes again.
//
// Clients print float32 values in a handful of ways. FindVectorForm tells which of them, if any, reproduces an array
// byte for byte (it prints and compares, so a cut can never change a source); PrintVector prints it. Bytes:
// docs/format/segment.md.
//
// Thread safety: pure. Cost: about 60 ns a number; a form that does not fit is given up at the first differing number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/bytes.h"
#include "tiercel/mapping/field.h"

namespace tiercel::segment {

// How an array was printed: a number form in bits 0-2, bit 3 for ", " between numbers. Values are stored in segments.
using VectorForm = uint8_t;

// The form that prints `vector` (as columns store it) as exactly `text`, brackets included.
std::optional<VectorForm> FindVectorForm(std::string_view text, ByteSpan vector, mapping::ElementType element);
// Appends the printed vector; false for a form that does not exist or a vector that cannot be printed in it.
bool PrintVector(ByteSpan vector, mapping::ElementType element, VectorForm form, std::string& out);

// A place in a text from which a vector was cut.
struct VectorCut {
  uint32_t field = 0;  // number of the field, as its holder counts them
  VectorForm form = 0;
  uint64_t position = 0;  // in the text that is left
};

}  // namespace tiercel::segment
