// Status: the outcome of an operation that can fail for a reason the caller must handle.
//
// A Status is OK or carries a code (what should the caller do?), a message (what was wrong, and where), and optionally
// the Elasticsearch error type, attributes and a cause that REST answers show. Bugs are not statuses: see check.h.
//
//   Status Open(std::string_view name) {
//     if (name.empty()) return InvalidArgument("an index name may not be
//     empty").WithType("invalid_index_name_exception"); TIERCEL_TRY(store.Delete(name)); return {};
//   }
//
// Thread safety: a value; const access from many threads is safe. Cost: one word when OK, one allocation otherwise.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tiercel/base/source_location.h"

namespace tiercel {

// Each code has callers that act differently on it. The REST layer maps them to HTTP statuses (HttpStatus below).
enum class Code : unsigned char {
  kOk,
  kInvalidArgument,    // 400: the request is wrong; repeating it cannot help
  kNotFound,           // 404
  kConflict,           // 409: somebody else got there first (versions, put-if-absent)
  kUnavailable,        // 503: a dependency failed; a retry may succeed
  kDeadlineExceeded,   // 408: the caller's time ran out
  kCancelled,          // 400: somebody cancelled the operation
  kResourceExhausted,  // 429: a memory or queue limit; retry later
  kCorruption,         // 500: stored bytes are not what was written
  kUnimplemented,      // 400: a valid request for something this engine does not do
  kForbidden,          // 403: refused by a block or a rule
  kInternal,           // 500
};

std::string_view CodeName(Code code);
int HttpStatus(Code code);

class [[nodiscard]] Status {
 public:
  using Attribute = std::pair<std::string, std::string>;

  Status() = default;  // OK
  Status(Code code, std::string message, SourceLocation location = SourceLocation::Current());
  Status(const Status& other);
  Status& operator=(const Status& other);
  Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;
  ~Status() = default;

  bool ok() const { return rep_ == nullptr; }
  Code code() const { return rep_ ? rep_->code : Code::kOk; }
  const std::string& message() const;
  SourceLocation location() const { return rep_ ? rep_->location : SourceLocation{}; }

  // The Elasticsearch error type ("parsing_exception"); a default for the code where none was given.
  std::string_view type() const;
  // Extra members of the REST error object, in the order they were added ("index", "line", "col", ...).
  std::span<const Attribute> attributes() const;
  const Status* cause() const { return rep_ && !rep_->causes.empty() ? rep_->causes.data() : nullptr; }
  // All of them, the first one first: what failed in several places has several.
  std::span<const Status> causes() const;

  // Builders; no effect on an OK status. `type` must outlive the program (a literal).
  Status WithType(const char* type) &&;
  Status With(std::string key, std::string value) &&;
  Status WithCause(Status cause) &&;  // adds one
  // Puts "context: " before the message; use once per layer crossed.
  Status WithContext(std::string_view context) &&;

  // "corruption: seg-1: bad magic at offset 0 [caused by ...]" for logs.
  std::string ToString() const;

 private:
  struct Rep {
    Code code;
    std::string message;
    SourceLocation location;
    const char* type = nullptr;
    std::vector<Attribute> attributes;
    std::vector<Status> causes;
  };
  std::unique_ptr<Rep> rep_;
};

Status InvalidArgument(std::string message, SourceLocation location = SourceLocation::Current());
Status NotFound(std::string message, SourceLocation location = SourceLocation::Current());
Status Conflict(std::string message, SourceLocation location = SourceLocation::Current());
Status Unavailable(std::string message, SourceLocation location = SourceLocation::Current());
Status DeadlineExceeded(std::string message, SourceLocation location = SourceLocation::Current());
Status Cancelled(std::string message, SourceLocation location = SourceLocation::Current());
Status ResourceExhausted(std::string message, SourceLocation location = SourceLocation::Current());
Status Corruption(std::string message, SourceLocation location = SourceLocation::Current());
Status Unimplemented(std::string message, SourceLocation location = SourceLocation::Current());
Status Forbidden(std::string message, SourceLocation location = SourceLocation::Current());
Status Internal(std::string message, SourceLocation location = SourceLocation::Current());

}  // namespace tiercel

// Returns from the enclosing function when `expr`, a Status, is not OK.
#define TIERCEL_TRY(expr)                                                                       \
  do {                                                                                          \
    if (::tiercel::Status tiercel_status = (expr); !tiercel_status.ok()) return tiercel_status; \
  } while (false)
