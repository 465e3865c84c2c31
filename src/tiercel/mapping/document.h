// ParsedDocument: a JSON document turned into typed values by a mapping; what segments are built from.
//
// Values are grouped by nothing: each entry names its field, and a multi-valued field has several entries in source
// order. Thread safety: a value. Lifetime: owns everything, including a reference to the mapping its field ids belong
// to; a builder resolves ids through any later mapping of the same index too, since ids are never reused.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/bytes.h"
#include "tiercel/mapping/field.h"

namespace tiercel::mapping {

class Mapping;

struct NumericValue {
  FieldId field;
  int64_t encoded;  // by the field's NumericEncoding
};

struct KeywordValue {
  FieldId field;
  uint32_t offset, length;  // in ParsedDocument::term_bytes
};

struct TextToken {
  uint32_t offset, length;  // in ParsedDocument::term_bytes
  uint32_t position;
};

// All tokens of one text field of the document, values joined with a position gap of 100.
struct TextValue {
  FieldId field;
  uint32_t first_token, token_count;  // in ParsedDocument::tokens
};

struct VectorValue {
  FieldId field;
  uint32_t offset, length;  // bytes in ParsedDocument::vector_bytes: little-endian float32, int8, or packed bits
  uint64_t source_offset, source_length;  // where the array stands in the source; 0,0 when it is not there as an array
};

struct ParsedDocument {
  std::string id;
  std::string routing;  // empty when none
  std::string source;   // exactly as received
  std::shared_ptr<const Mapping> mapping;

  std::vector<NumericValue> numerics;
  std::vector<KeywordValue> keywords;
  std::vector<TextValue> texts;  // at most one per field
  std::vector<TextToken> tokens;
  std::vector<VectorValue> vectors;
  std::vector<std::string> ignored;  // names for the _ignored field
  std::string term_bytes;
  Bytes vector_bytes;

  std::string_view Term(uint32_t offset, uint32_t length) const {
    return std::string_view(term_bytes).substr(offset, length);
  }
  size_t memory_bytes() const {
    return sizeof *this + id.capacity() + source.capacity() + numerics.capacity() * sizeof(NumericValue) +
           keywords.capacity() * sizeof(KeywordValue) + tokens.capacity() * sizeof(TextToken) + term_bytes.capacity() +
           vector_bytes.capacity();
  }
};

}  // namespace tiercel::mapping
