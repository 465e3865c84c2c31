// Where a call was made, for error reports.
//
// std::source_location is missing from one of our compiler and library pairs, so this uses the builtins both share.
// Thread safety: a value. Cost: two words, filled in at compile time.
#pragma once

namespace tiercel {

struct SourceLocation {
  const char* file = "";
  int line = 0;

  static constexpr SourceLocation Current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

}  // namespace tiercel
