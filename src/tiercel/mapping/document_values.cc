// The half of DocumentWalker that encodes the values of fields.
#include <algorithm>

#include "tiercel/mapping/document_walker.h"
#include "tiercel/mapping/numbers.h"
#include "tiercel/mapping/values.h"
#include "tiercel/mapping/vector_reader.h"

namespace tiercel::mapping {
namespace {

constexpr size_t kTermBytesMax = 32766;
constexpr size_t kShownTermBytes = 30;

// A value as Java prints the object it becomes: {b=1, c=[1, 2]}, 1.0E300.
std::string Preview(json::Value value, bool single_precision) {
  std::string out;
  if (value.is_object()) {
    for (const auto [key, member] : value.members()) {
      out += (out.empty() ? "{" : ", ") + std::string(key) + "=" + Preview(member, false);
    }
    return out.empty() ? "{}" : out + "}";
  }
  if (value.is_array()) {
    for (const json::Value element : value.elements()) out += (out.empty() ? "[" : ", ") + Preview(element, false);
    return out.empty() ? "[]" : out + "]";
  }
  if (!value.has_fraction_syntax()) return value.ToDisplayString();
  if (single_precision)
    json::AppendFloat(static_cast<float>(value.as_double()), out);
  else
    json::AppendDouble(value.as_double(), out);
  return out;
}

Status ImmenseTerm(const Field& field, std::string_view term) {
  std::string bytes;
  for (const char c : term.substr(0, kShownTermBytes))
    bytes += (bytes.empty() ? "" : ", ") + std::to_string(static_cast<signed char>(c));
  return InvalidArgument("Document contains at least one immense term in field=\"" + field.name +
                         "\" (whose UTF8 encoding is longer than the max length 32766), all of which were skipped. "
                         "Please correct the analyzer "
                         "to not produce such terms. The prefix of the first immense term is: '[" +
                         bytes + "]...'");
}

std::string_view TextOf(json::Value value) { return value.is_string() ? value.as_string() : value.raw(); }

}  // namespace

Status DocumentWalker::FieldError(const Field& field, json::Value value, Status cause) const {
  // A parser that has read an object to show it stands at its end.
  const uint64_t offset = value.is_object() ? value.offset() + value.raw().size() - 1 : value.offset();
  return InvalidArgument(Position(offset) + "failed to parse field [" + field.name + "] of type [" +
                         std::string(TypeName(field.type)) + "] in document with id '" + document_.id +
                         "'. Preview of field's value: '" +
                         Preview(value, field.type == FieldType::kFloat || field.type == FieldType::kHalfFloat) + "'")
      .WithType("document_parsing_exception")
      .WithCause(std::move(cause));
}

// A value of a field that is only declared so far, refused if the field would refuse it: the declaration must not stay
// behind when its document does not.
Status DocumentWalker::CheckPendingValue(const Node& node, std::string_view key, json::Value value) const {
  Field field;
  field.name = FullName(key);
  field.type = node.type;
  Status bad;
  if (value.is_object() && !field.is_number() && field.type != FieldType::kBoolean) {
    const auto [line, column] = value.line_column();
    bad = InvalidArgument("Expected text at " + std::to_string(line) + ":" + std::to_string(column) +
                          " but found START_OBJECT");
  } else if (field.is_number() || field.type == FieldType::kBoolean) {
    field.coerce = node.parameter("coerce") != "false";
    const bool blank = field.is_number() && field.coerce && value.is_string() && value.as_string().empty();
    if (!blank) bad = EncodeDocumentNumber(field, value).status();
  } else if (field.type == FieldType::kDate) {
    const auto format = json::Document::Parse(node.parameter("format"));
    TIERCEL_TRY_ASSIGN(const DateFormat compiled, DateFormat::Compile(format.value().root().as_string()));
    bad = ParseDocumentDate(TextOf(value), &compiled).status();
  } else if (field.type == FieldType::kIp) {
    bad = ParseIp(TextOf(value)).status();
  }
  if (bad.ok() || node.parameter("ignore_malformed") == "true") return {};
  return FieldError(field, value, std::move(bad));
}

Status DocumentWalker::Malformed(const Field& field, json::Value value, Status cause) {
  if (!field.ignore_malformed) return FieldError(field, value, std::move(cause));
  AddIgnored(field);
  return {};
}

void DocumentWalker::AddIgnored(const Field& field) {
  if (std::find(document_.ignored.begin(), document_.ignored.end(), field.name) == document_.ignored.end())
    document_.ignored.push_back(field.name);
}

void DocumentWalker::AddNumeric(const Field& field, int64_t encoded, bool emit) {
  if (emit && (field.index || field.doc_values)) document_.numerics.push_back({field.id, encoded});
}

void DocumentWalker::AddKeyword(const Field& field, std::string_view term, bool emit) {
  if (!emit || !(field.index || field.doc_values)) return;
  document_.keywords.push_back(
      {field.id, static_cast<uint32_t>(document_.term_bytes.size()), static_cast<uint32_t>(term.size())});
  document_.term_bytes += term;
}

Status DocumentWalker::Emit(const Node& node, json::Value value, bool emit) {
  const Field& field = data_.fields[node.id];
  if (field.type == FieldType::kDenseVector) return EmitVector(node, field, value, emit);
  if (value.is_array()) {
    for (const json::Value element : value.elements()) TIERCEL_TRY(Emit(node, element, emit));
    return {};
  }
  if (value.is_null()) {
    if (field.null_value_json) TIERCEL_TRY(EmitNull(node, field, emit));
  } else {
    TIERCEL_TRY(EmitScalar(node, field, value, emit));
  }
  return EmitRelated(node, field, value, emit);
}

Status DocumentWalker::EmitNull(const Node& node, const Field& field, bool emit) {
  TIERCEL_TRY_ASSIGN(json::Document substitute, json::Document::ParseOwned(*field.null_value_json));
  null_values_.push_back(std::move(substitute));
  return EmitScalar(node, field, null_values_.back().root(), emit);
}

// Sub-fields and copy_to targets get the value too.
Status DocumentWalker::EmitRelated(const Node& node, const Field& field, json::Value value, bool emit) {
  for (const auto& [name, child] : node.children) TIERCEL_TRY(Emit(child, value, emit));
  if (node.copy_to.empty() || value.is_null()) return {};
  for (const FieldId target : field.copy_to) {
    const Node& other = *data_.nodes[target];
    if (!other.is_object()) TIERCEL_TRY(Emit(other, value, !data_.fields[target].inside_nested));
  }
  if (field.copy_to.size() == node.copy_to.size()) return {};
  for (const std::string& target : node.copy_to) {
    if (data_.by_name.contains(target)) continue;
    const std::string saved = std::move(path_);
    path_.clear();
    const Dynamic dynamic = data_.root.dynamic == Dynamic::kInherit ? Dynamic::kTrue : data_.root.dynamic;
    Status status = WalkDotted(target, value, {&data_.root, &update_, dynamic, false});
    path_ = saved;
    TIERCEL_TRY(status);
  }
  return {};
}

Status DocumentWalker::EmitScalar(const Node& node, const Field& field, json::Value value, bool emit) {
  if (value.is_object() && !field.is_number() && field.type != FieldType::kBoolean) {
    const auto [line, column] = value.line_column();
    return Malformed(field, value,
                     InvalidArgument("Expected text at " + std::to_string(line) + ":" + std::to_string(column) +
                                     " but found START_OBJECT"));
  }
  switch (field.type) {
    case FieldType::kText:
      if (emit && field.index) texts_.push_back({field.id, static_cast<uint32_t>(texts_.size()), &node, TextOf(value)});
      return {};
    case FieldType::kKeyword:
      return EmitKeyword(node, field, value, emit);
    case FieldType::kIp:
      return EmitIp(field, value, emit);
    case FieldType::kDate:
      return EmitDate(node, field, value, emit);
    default:
      return EmitNumber(field, value, emit);
  }
}

Status DocumentWalker::EmitNumber(const Field& field, json::Value value, bool emit) {
  if (field.is_number() && field.coerce && value.is_string() && value.as_string().empty()) return {};
  auto encoded = EncodeDocumentNumber(field, value);
  if (!encoded.ok()) return Malformed(field, value, std::move(encoded).status());
  AddNumeric(field, *encoded, emit);
  return {};
}

Status DocumentWalker::EmitDate(const Node& node, const Field& field, json::Value value, bool emit) {
  auto ms = ParseDocumentDate(TextOf(value), node.date_format.get());
  if (!ms.ok()) return Malformed(field, value, std::move(ms).status());
  AddNumeric(field, *ms, emit);
  return {};
}

Status DocumentWalker::EmitIp(const Field& field, json::Value value, bool emit) {
  auto address = ParseIp(TextOf(value));
  if (!address.ok()) return Malformed(field, value, std::move(address).status());
  AddKeyword(field, *address, emit);
  return {};
}

Status DocumentWalker::EmitKeyword(const Node& node, const Field& field, json::Value value, bool emit) {
  const std::string_view text = TextOf(value);
  // UTF-16 units are never more than bytes, so that short texts need no counting.
  if (field.ignore_above && text.size() > *field.ignore_above && analysis::Utf16Length(text) > *field.ignore_above) {
    AddIgnored(field);
    return {};
  }
  if (text.size() > kTermBytesMax && (field.index || field.doc_values))
    return FieldError(field, value, ImmenseTerm(field, text));
  if (!node.lower_case) {
    AddKeyword(field, text, emit);
    return {};
  }
  std::string lower;
  analysis::AppendLowerCase(text, lower);
  AddKeyword(field, lower, emit);
  return {};
}

Status DocumentWalker::EmitVector(const Node& node, const Field& field, json::Value value, bool emit) {
  if (value.is_null()) return {};
  VectorReader reader(field, document_.source, document_.id);
  const size_t first = document_.vector_bytes.size();
  if (!reader.Read(value, document_.vector_bytes)) {
    const Status& cause = reader.error().status;
    return InvalidArgument(Position(reader.error().offset) + "failed to parse: " + cause.message())
        .WithType("document_parsing_exception")
        .WithCause(cause);
  }
  if (field.vector.dims == 0) {
    // The first vector settles the dimensions.
    Node settled = node;
    settled.children.clear();
    settled.parameters[1] = std::to_string(reader.dims());
    std::string declaration;
    json::Writer writer(declaration);
    WriteNode(settled, writer);
    const std::string saved = std::move(path_);
    const size_t dot = field.name.rfind('.');
    path_ = dot == std::string::npos ? std::string() : field.name.substr(0, dot);
    Status status = Declare(dot == std::string::npos ? field.name : field.name.substr(dot + 1), std::move(declaration),
                            {nullptr, nullptr, Dynamic::kTrue, false});
    path_ = saved;
    return status;
  }
  const bool twice = emit && std::any_of(document_.vectors.begin(), document_.vectors.end(),
                                         [&](const VectorValue& other) { return other.field == field.id; });
  if (twice) {
    std::string reason =
        "Field [" + field.name +
        "] of type [dense_vector] doesn't support indexing multiple values for the same field in the same document";
    return InvalidArgument(Position(value.offset()) + "failed to parse: " + reason)
        .WithType("document_parsing_exception")
        .WithCause(InvalidArgument(reason));
  }
  if (!emit) {
    document_.vector_bytes.resize(first);
    return {};
  }
  const bool array = value.is_array();
  document_.vectors.push_back({field.id, static_cast<uint32_t>(first),
                               static_cast<uint32_t>(document_.vector_bytes.size() - first), array ? value.offset() : 0,
                               array ? value.raw().size() : 0});
  return {};
}

Status DocumentWalker::AnalyzeTexts() {
  std::sort(texts_.begin(), texts_.end(),
            [](const Text& a, const Text& b) { return a.field != b.field ? a.field < b.field : a.order < b.order; });
  for (size_t first = 0; first < texts_.size();) {
    size_t end = first;
    while (end < texts_.size() && texts_[end].field == texts_[first].field) ++end;
    TIERCEL_TRY(AnalyzeField(first, end));
    first = end;
  }
  return {};
}

Status DocumentWalker::AnalyzeField(size_t first, size_t end) {
  thread_local analysis::TokenBuffer buffer;  // scratch: empty between calls
  buffer.Clear();
  buffer.terms.swap(document_.term_bytes);
  const Node& node = *texts_[first].node;
  for (size_t i = first; i < end; ++i) {
    node.analyzer->Analyze(texts_[i].text, buffer);
    buffer.position += node.position_gap;
  }
  buffer.terms.swap(document_.term_bytes);
  const uint32_t first_token = static_cast<uint32_t>(document_.tokens.size());
  for (const analysis::Token& token : buffer.tokens) {
    if (token.term_length > kTermBytesMax) {
      return ImmenseTerm(data_.fields[texts_[first].field], document_.Term(token.term_offset, token.term_length));
    }
    document_.tokens.push_back({token.term_offset, token.term_length, token.position});
  }
  document_.texts.push_back({texts_[first].field, first_token, static_cast<uint32_t>(buffer.tokens.size())});
  return {};
}

}  // namespace tiercel::mapping
