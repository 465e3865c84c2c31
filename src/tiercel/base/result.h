// Result<T>: a value, or the Status that says why there is none. Member names follow std::expected.
//
//   Result<Bytes> Get(std::string_view name);
//   TIERCEL_TRY_ASSIGN(Bytes bytes, Get("a"));   // returns the status to our caller when there is no value
//
// Thread safety: a value. Lifetime: owns its value. Reading the value of a failed Result is a bug and aborts.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "tiercel/base/check.h"
#include "tiercel/base/status.h"

namespace tiercel {

template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(Status status) : state_(std::in_place_index<0>, std::move(status)) {  // NOLINT: implicit by design
    TIERCEL_CHECK(!std::get<0>(state_).ok(), "a Result needs a value or an error");
  }
  template <typename U = T>
    requires(std::is_constructible_v<T, U &&> && !std::is_same_v<std::remove_cvref_t<U>, Result<T>> &&
             !std::is_same_v<std::remove_cvref_t<U>, Status>)
  Result(U&& value) : state_(std::in_place_index<1>, std::forward<U>(value)) {}  // NOLINT: implicit by design

  bool ok() const { return state_.index() == 1; }
  bool has_value() const { return ok(); }
  explicit operator bool() const { return ok(); }

  // OK when there is a value.
  Status status() const& { return ok() ? Status() : std::get<0>(state_); }
  Status status() && { return ok() ? Status() : std::move(std::get<0>(state_)); }
  const Status& error() const { return std::get<0>(state_); }

  T& value() & {
    Require();
    return std::get<1>(state_);
  }
  const T& value() const& {
    Require();
    return std::get<1>(state_);
  }
  T&& value() && {
    Require();
    return std::move(std::get<1>(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  template <typename U>
  T value_or(U&& fallback) const& {
    return ok() ? std::get<1>(state_) : static_cast<T>(std::forward<U>(fallback));
  }

 private:
  void Require() const { TIERCEL_CHECK(ok(), std::get<0>(state_).ToString()); }

  std::variant<Status, T> state_;
};

}  // namespace tiercel

#define TIERCEL_CONCAT_INNER(a, b) a##b
#define TIERCEL_CONCAT(a, b) TIERCEL_CONCAT_INNER(a, b)
// Declares or assigns `target` from the value of `expr`, a Result; returns its status from the enclosing function
// otherwise.
#define TIERCEL_TRY_ASSIGN(target, expr) \
  TIERCEL_TRY_ASSIGN_INNER(TIERCEL_CONCAT(tiercel_result_, __LINE__), target, expr)
#define TIERCEL_TRY_ASSIGN_INNER(result, target, expr) \
  auto result = (expr);                                \
  if (!result.ok()) return std::move(result).status(); \
  target = std::move(result).value()
