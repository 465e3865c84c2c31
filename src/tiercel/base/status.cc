#include "tiercel/base/status.h"

namespace tiercel {
namespace {

struct CodeRow {
  std::string_view name;
  int http;
  const char* type;
};

// In the order of Code.
constexpr CodeRow kCodes[] = {
    {"ok", 200, ""},
    {"invalid argument", 400, "illegal_argument_exception"},
    {"not found", 404, "resource_not_found_exception"},
    {"conflict", 409, "version_conflict_engine_exception"},
    {"unavailable", 503, "unavailable_exception"},
    {"deadline exceeded", 408, "timeout_exception"},
    {"cancelled", 400, "task_cancelled_exception"},
    {"resource exhausted", 429, "circuit_breaking_exception"},
    {"corruption", 500, "corruption_exception"},
    {"unimplemented", 400, "illegal_argument_exception"},
    {"forbidden", 403, "cluster_block_exception"},
    {"internal", 500, "internal_exception"},
};

const CodeRow& Row(Code code) { return kCodes[static_cast<unsigned>(code)]; }

}  // namespace

std::string_view CodeName(Code code) { return Row(code).name; }
int HttpStatus(Code code) { return Row(code).http; }

Status::Status(Code code, std::string message, SourceLocation location) {
  if (code == Code::kOk) return;
  rep_ = std::make_unique<Rep>();
  rep_->code = code;
  rep_->message = std::move(message);
  rep_->location = location;
}

Status::Status(const Status& other) { *this = other; }

Status& Status::operator=(const Status& other) {
  if (this == &other) return *this;
  if (!other.rep_) {
    rep_.reset();
    return *this;
  }
  auto copy = std::make_unique<Rep>();
  copy->code = other.rep_->code;
  copy->message = other.rep_->message;
  copy->location = other.rep_->location;
  copy->type = other.rep_->type;
  copy->attributes = other.rep_->attributes;
  copy->causes = other.rep_->causes;
  rep_ = std::move(copy);
  return *this;
}

const std::string& Status::message() const {
  static const std::string empty;
  return rep_ ? rep_->message : empty;
}

std::string_view Status::type() const {
  if (!rep_) return {};
  return rep_->type ? rep_->type : Row(rep_->code).type;
}

std::span<const Status::Attribute> Status::attributes() const {
  return rep_ ? std::span<const Attribute>(rep_->attributes) : std::span<const Attribute>();
}

std::span<const Status> Status::causes() const {
  return rep_ ? std::span<const Status>(rep_->causes) : std::span<const Status>();
}

Status Status::WithType(const char* type) && {
  if (rep_) rep_->type = type;
  return std::move(*this);
}

Status Status::With(std::string key, std::string value) && {
  if (rep_) rep_->attributes.emplace_back(std::move(key), std::move(value));
  return std::move(*this);
}

Status Status::WithCause(Status cause) && {
  if (rep_ && !cause.ok()) rep_->causes.push_back(std::move(cause));
  return std::move(*this);
}

Status Status::WithContext(std::string_view context) && {
  if (rep_) rep_->message = std::string(context) + ": " + rep_->message;
  return std::move(*this);
}

std::string Status::ToString() const {
  if (ok()) return "ok";
  std::string text(CodeName(code()));
  text += ": " + rep_->message;
  for (const Status& cause : rep_->causes) text += " [caused by " + cause.ToString() + "]";
  return text;
}

Status InvalidArgument(std::string message, SourceLocation location) {
  return {Code::kInvalidArgument, std::move(message), location};
}
Status NotFound(std::string message, SourceLocation location) {
  return {Code::kNotFound, std::move(message), location};
}
Status Conflict(std::string message, SourceLocation location) {
  return {Code::kConflict, std::move(message), location};
}
Status Unavailable(std::string message, SourceLocation location) {
  return {Code::kUnavailable, std::move(message), location};
}
Status DeadlineExceeded(std::string message, SourceLocation location) {
  return {Code::kDeadlineExceeded, std::move(message), location};
}
Status Cancelled(std::string message, SourceLocation location) {
  return {Code::kCancelled, std::move(message), location};
}
Status ResourceExhausted(std::string message, SourceLocation location) {
  return {Code::kResourceExhausted, std::move(message), location};
}
Status Corruption(std::string message, SourceLocation location) {
  return {Code::kCorruption, std::move(message), location};
}
Status Unimplemented(std::string message, SourceLocation location) {
  return {Code::kUnimplemented, std::move(message), location};
}
Status Forbidden(std::string message, SourceLocation location) {
  return {Code::kForbidden, std::move(message), location};
}
Status Internal(std::string message, SourceLocation location) {
  return {Code::kInternal, std::move(message), location};
}

}  // namespace tiercel
