// Reading one JSON number: the grammar of RFC 8259 and nothing more.
//
// Thread safety: a pure function. Cost: a few nanoseconds for numbers of up to 15 digits, a correctly rounded slow path
// beyond.
#pragma once

#include <cstdint>
#include <string_view>

#include "tiercel/json/value.h"

namespace tiercel::json {

struct Number {
  Type type = Type::kNull;  // kInt64, kUint64 or kDouble; kNull when the text does not start with a number
  uint32_t length = 0;      // bytes of text the number takes
  union {
    int64_t int64;
    uint64_t uint64;
    double real;  // an infinity when out of range
  };
  Number() : int64(0) {}
};

// Reads the number `text` starts with; what follows it is the caller's business.
Number ReadNumber(std::string_view text);

}  // namespace tiercel::json
