// docvalue_fields: a document's column values as JSON.
#include <bit>
#include <cstring>

#include "tiercel/mapping/values.h"
#include "tiercel/search/fetch.h"
#include "tiercel/search/fielddata_error.h"

namespace tiercel::search {
namespace {

using mapping::Field;
using mapping::FieldType;

Status WriteNumber(const Field& field, mapping::NumericEncoding encoding, const std::string& format, int64_t encoded,
                   json::Writer& writer) {
  switch (field.type) {
    case FieldType::kDate: {
      TIERCEL_TRY_ASSIGN(const std::string text, mapping::FormatDate(encoded, format.empty() ? field.format : format));
      writer.String(text);
      return {};
    }
    case FieldType::kBoolean:
      writer.Bool(encoded != 0);
      return {};
    case FieldType::kUnsignedLong:
      writer.Uint(static_cast<uint64_t>(encoded) ^ (uint64_t{1} << 63));
      return {};
    case FieldType::kDouble:
    case FieldType::kFloat:
    case FieldType::kHalfFloat:  // shown widened to double, as columns are
      writer.Double(mapping::DecodeToDouble(encoding, encoded));
      return {};
    case FieldType::kScaledFloat:
      writer.Double(mapping::DecodeToDouble(encoding, encoded) / field.scaling_factor);
      return {};
    default:
      writer.Int(encoded);
      return {};
  }
}

Result<bool> AppendNumbers(const segment::Segment& segment, segment::DocId doc, const FetchField& wanted,
                           json::Writer& writer) {
  const segment::NumericColumn* column = segment.numeric(wanted.field->name);
  segment::NumericCursor cursor(column);
  TIERCEL_TRY_ASSIGN(const std::span<const int64_t> values, cursor.Values(doc));
  if (values.empty()) return false;
  writer.BeginArray();
  for (const int64_t value : values)
    TIERCEL_TRY(WriteNumber(*wanted.field, column->encoding(), wanted.format, value, writer));
  writer.EndArray();
  return true;
}

Result<bool> AppendTerms(const segment::Segment& segment, segment::DocId doc, const FetchField& wanted,
                         json::Writer& writer) {
  const segment::KeywordColumn* column = segment.keyword(wanted.field->name);
  segment::KeywordCursor cursor(column);
  TIERCEL_TRY_ASSIGN(const std::span<const segment::Ordinal> ordinals, cursor.Ordinals(doc));
  if (ordinals.empty()) return false;
  writer.BeginArray();
  for (const segment::Ordinal ordinal : ordinals) {
    TIERCEL_TRY_ASSIGN(const std::string term, column->Term(ordinal));
    writer.String(wanted.field->type == FieldType::kIp ? mapping::FormatIp(term) : term);
  }
  writer.EndArray();
  return true;
}

// A vector is one value: an array inside the array of values.
Result<bool> AppendVector(const segment::Segment& segment, segment::DocId doc, const FetchField& wanted,
                          json::Writer& writer) {
  const segment::VectorColumn* column = segment.vector(wanted.field->name);
  const std::optional<uint32_t> row = column != nullptr ? column->row_of(doc) : std::nullopt;
  if (!row) return false;
  TIERCEL_TRY_ASSIGN(const segment::VectorColumn::Run run, column->BorrowRun(*row, 1));
  writer.BeginArray();
  writer.BeginArray();
  if (column->element() == mapping::ElementType::kFloat) {
    for (uint32_t i = 0; i < column->dims(); ++i) {
      float value;
      std::memcpy(&value, run.bytes.data() + size_t{i} * 4, 4);
      writer.Float(value);
    }
  } else {
    const uint32_t bytes = column->element() == mapping::ElementType::kBit ? column->dims() / 8 : column->dims();
    for (uint32_t i = 0; i < bytes; ++i) writer.Int(static_cast<int8_t>(run.bytes.data()[i]));
  }
  writer.EndArray();
  writer.EndArray();
  return true;
}

}  // namespace

Status CheckDocValues(const FetchField& wanted, std::string_view index) {
  const Field& field = *wanted.field;
  TIERCEL_TRY(CheckFielddata(field, index, FielddataUse::kDocvalueFields));
  if (wanted.format.empty() || wanted.format == "use_field_mapping" || field.type == FieldType::kDate) return {};
  if (field.is_number()) return Unimplemented("number formats such as [" + wanted.format + "] are not supported");
  return InvalidArgument("Field [" + field.name + "] of type [" + std::string(mapping::TypeName(field.type)) +
                         "] does not support custom formats");
}

Result<bool> AppendDocValues(const segment::Segment& segment, segment::DocId doc, const FetchField& wanted,
                             json::Writer& writer) {
  if (wanted.field->is_numeric_column()) return AppendNumbers(segment, doc, wanted, writer);
  if (wanted.field->is_keyword_column()) return AppendTerms(segment, doc, wanted, writer);
  return AppendVector(segment, doc, wanted, writer);
}

}  // namespace tiercel::search
