// CHECK: for bugs, never for input. A failed check prints the condition, the place and the message, then aborts.
//
// TIERCEL_CHECK is always on; TIERCEL_DCHECK only in debug and sanitizer builds, for conditions too dear to test
// always.
#pragma once

#include <string_view>

namespace tiercel::internal {
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition, std::string_view message);
}  // namespace tiercel::internal

#define TIERCEL_CHECK(condition, ...)                                                                  \
  do {                                                                                                 \
    if (!(condition)) [[unlikely]]                                                                     \
      ::tiercel::internal::CheckFailed(__FILE__, __LINE__, #condition, std::string_view{__VA_ARGS__}); \
  } while (false)

#if !defined(NDEBUG)
#define TIERCEL_DCHECK(condition, ...) TIERCEL_CHECK(condition __VA_OPT__(, ) __VA_ARGS__)
#else
#define TIERCEL_DCHECK(condition, ...)       \
  do {                                       \
    if (false) static_cast<void>(condition); \
  } while (false)
#endif
