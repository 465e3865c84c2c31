#include "tiercel/engine/bulk.h"

#include <algorithm>

#include "tiercel/engine/update_body.h"
#include "tiercel/engine/write_validation.h"

namespace tiercel::engine {
namespace {

// Hands out the lines of a body and counts them.
class Lines {
 public:
  explicit Lines(std::string_view body) : rest_(body) {}

  // The next line without its end ("\n" or "\r\n"); nothing when the body is used up, an error when its last line has
  // no end.
  Result<std::optional<std::string_view>> Next() {
    if (rest_.empty()) return std::optional<std::string_view>();
    const size_t end = rest_.find('\n');
    if (end == std::string_view::npos) return InvalidArgument("The bulk request must be terminated by a newline [\\n]");
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    ++number_;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return std::optional<std::string_view>(line);
  }
  uint64_t number() const { return number_; }  // of the line handed out last, from 1

 private:
  std::string_view rest_;
  uint64_t number_ = 0;
};

Status Malformed(uint64_t line, const std::string& what) {
  return InvalidArgument("Malformed action/metadata line [" + std::to_string(line) + "], " + what);
}

bool IsBlank(std::string_view line) { return line.find_first_not_of(" \t") == std::string_view::npos; }

std::optional<OperationKind> KindOf(std::string_view name) {
  for (const OperationKind kind :
       {OperationKind::kIndex, OperationKind::kCreate, OperationKind::kUpdate, OperationKind::kDelete}) {
    if (name == OperationName(kind)) return kind;
  }
  return std::nullopt;
}

Result<int64_t> Number(json::Value value, std::string_view key) {
  if (value.type() == json::Type::kInt64) return value.as_int64();
  const std::string text = value.ToDisplayString();
  char* end = nullptr;
  const long long parsed = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0')
    return InvalidArgument("Failed to parse [" + std::string(key) + "] with value [" + text + "]");
  return static_cast<int64_t>(parsed);
}

// One parameter of an action object.
Status ReadParameter(std::string_view key, json::Value value, uint64_t line, WriteRequest& request) {
  if (key == "dynamic_templates" || key == "list_executed_pipelines") return {};
  if (key == "_source") {
    if (value.is_null()) return {};
    TIERCEL_TRY_ASSIGN(request.return_source, search::ParseSourceFilter(value));
    return {};
  }
  if (value.is_array() || value.is_object()) {
    return Malformed(line, "expected a simple value for field [" + std::string(key) + "] but found [" +
                               std::string(TokenName(value.type())) + "]");
  }
  const std::string text = value.is_null() ? std::string() : value.ToDisplayString();
  if (key == "_index")
    request.index = text;
  else if (key == "_id") {
    request.id = text;
    request.id_given = !value.is_null();
  } else if (key == "routing")
    request.routing = text;
  else if (key == "pipeline")
    request.pipeline = text;
  else if (key == "require_alias")
    request.require_alias = text == "true";
  else if (key == "require_data_stream")
    request.require_data_stream = text == "true";
  else if (key == "op_type") {
    if (request.kind == OperationKind::kIndex && text == "create") request.kind = OperationKind::kCreate;
  } else if (key == "version") {
    TIERCEL_TRY_ASSIGN(request.version, Number(value, key));
  } else if (key == "version_type") {
    TIERCEL_TRY_ASSIGN(request.version_type, ParseVersionType(text));
  } else if (key == "if_seq_no") {
    TIERCEL_TRY_ASSIGN(request.if_seq_no, Number(value, key));
  } else if (key == "if_primary_term") {
    TIERCEL_TRY_ASSIGN(request.if_primary_term, Number(value, key));
  } else if (key == "retry_on_conflict") {
    TIERCEL_TRY_ASSIGN(const int64_t retries, Number(value, key));
    request.retry_on_conflict = static_cast<uint32_t>(std::clamp<int64_t>(retries, 0, 100));
  } else {
    return InvalidArgument("Action/metadata line [" + std::to_string(line) + "] contains an unknown parameter [" +
                           std::string(key) + "]");
  }
  return {};
}

Result<WriteRequest> ParseAction(std::string_view text, uint64_t line, const BulkDefaults& defaults, bool& extra_keys) {
  TIERCEL_TRY_ASSIGN(const json::Document document, json::Document::Parse(text));
  const json::Value root = document.root();
  if (!root.is_object())
    return Malformed(line, "expected START_OBJECT but found [" + std::string(TokenName(root.type())) + "]");
  if (root.empty()) return Malformed(line, "expected FIELD_NAME but found [END_OBJECT]");
  const auto [name, parameters] = *root.members().begin();
  const std::optional<OperationKind> kind = KindOf(name);
  if (!kind)
    return Malformed(line,
                     "expected field [create], [delete], [index] or [update] but found [" + std::string(name) + "]");
  if (!parameters.is_object()) {
    return Malformed(
        line, "expected START_OBJECT or END_OBJECT but found [" + std::string(TokenName(parameters.type())) + "]");
  }
  WriteRequest request;
  request.kind = *kind;
  request.index = defaults.index;
  request.routing = defaults.routing;
  request.pipeline = defaults.pipeline;
  request.require_alias = defaults.require_alias;
  request.return_source = defaults.return_source;
  request.id_given = false;
  for (const auto& [key, value] : parameters.members()) TIERCEL_TRY(ReadParameter(key, value, line, request));
  if (root.size() > 1) {
    if (!defaults.tolerate_extra_keys) return Malformed(line, "expected END_OBJECT but found [FIELD_NAME]");
    extra_keys = true;
  }
  if (request.kind == OperationKind::kUpdate && request.version) {
    return InvalidArgument(
        "Update requests do not support versioning. Please use `if_seq_no` and `if_primary_term` instead");
  }
  return request;
}

Status CheckOperation(const WriteRequest& request, std::vector<std::string>& problems) {
  if (request.kind != OperationKind::kUpdate) {
    AddProblems(request, nullptr, problems);
    return {};
  }
  TIERCEL_TRY_ASSIGN(const UpdateBody update, ParseUpdateBody(request.source));
  AddProblems(request, &update, problems);
  return {};
}

}  // namespace

Result<BulkRequest> ParseBulk(std::string_view body, const BulkDefaults& defaults) {
  if (body.empty()) return InvalidArgument("request body is required").WithType("parse_exception");
  BulkRequest bulk;
  std::vector<std::string> problems;
  Lines lines(body);
  for (;;) {
    TIERCEL_TRY_ASSIGN(const std::optional<std::string_view> action, lines.Next());
    if (!action) break;
    if (IsBlank(*action)) continue;
    TIERCEL_TRY_ASSIGN(WriteRequest request, ParseAction(*action, lines.number(), defaults, bulk.extra_keys_tolerated));
    if (request.kind != OperationKind::kDelete) {
      TIERCEL_TRY_ASSIGN(const std::optional<std::string_view> source, lines.Next());
      if (!source) break;
      request.source = std::string(*source);
    }
    TIERCEL_TRY(CheckOperation(request, problems));
    bulk.operations.push_back(std::move(request));
  }
  if (bulk.operations.empty()) problems.emplace_back("no requests added");
  TIERCEL_TRY(ValidationFailure(problems));
  return bulk;
}

bool BulkResponse::has_errors() const {
  return std::any_of(items.begin(), items.end(), [](const BulkItem& item) { return !item.result.ok(); });
}

}  // namespace tiercel::engine
