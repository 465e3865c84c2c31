// Numbers and booleans of documents: what they may look like and what is wrong with those that do not.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "tiercel/base/result.h"
#include "tiercel/json/value.h"
#include "tiercel/mapping/field.h"

namespace tiercel::mapping {

// A scalar of a document as the field stores it; the field is a number or boolean, the value is not null. Messages and
// types are those a document gets.
Result<int64_t> EncodeDocumentNumber(const Field& field, json::Value value);

// The nearest number with 11 bits of mantissa, as half_float stores it; infinite beyond 65504.
float RoundToHalf(float value);

}  // namespace tiercel::mapping
