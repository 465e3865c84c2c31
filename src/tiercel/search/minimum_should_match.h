// minimum_should_match: "2", "-1", "75%", "-30%", "2<75%", "1<-1 4<50%".
#pragma once

#include <cstdint>
#include <string_view>

#include "tiercel/base/result.h"

namespace tiercel::search {

// How many of `clauses` optional clauses must match; may be more than there are (then nothing matches).
// Malformed text: number_format_exception.
Result<uint32_t> ComputeMinimumShouldMatch(std::string_view text, uint32_t clauses);

}  // namespace tiercel::search
