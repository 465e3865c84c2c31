// "include" and "exclude" of a terms aggregation: exact values, or for strings a prefix written as a pattern ("ab.*").
//
// Thread safety: immutable once parsed. Patterns beyond literal text with a final ".*" are refused as Unimplemented.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tiercel/search/aggs/parse.h"

namespace tiercel::search::aggs {

// "include" or "exclude" of a terms aggregation.
struct TermClause {
  std::vector<Scalar> values;
  std::optional<std::string> prefix;  // instead of values
  bool pattern = false;
};

class TermFilter {
 public:
  Status ParseInclude(const Parameter& parameter) { return ParseClause(parameter, include_); }
  Status ParseExclude(const Parameter& parameter) { return ParseClause(parameter, exclude_); }
  bool empty() const { return !include_ && !exclude_; }
  // Whether the clauses can be read as values of that type.
  Status Validate(const ValueType& type, const std::string& name, int64_t now_ms) const;

  // One byte per ordinal of the column, and one more for the missing term: 1 when accepted.
  Result<std::vector<uint8_t>> Ordinals(const segment::KeywordColumn* column, const ValueType& type) const;
  // Keys of numbers: as stored, or as encoded doubles.
  class Keys {
   public:
    bool Accepts(int64_t key) const;

   private:
    friend class TermFilter;
    std::optional<std::vector<int64_t>> include_, exclude_;  // sorted
  };
  Result<Keys> Numbers(const ValueType& type, bool as_double, int64_t now_ms) const;

 private:
  static Status ParseClause(const Parameter& parameter, std::optional<TermClause>& clause);
  static Status ParsePattern(const Parameter& parameter, TermClause& clause);
  static Result<std::vector<int64_t>> Encode(const TermClause& clause, const ValueType& type, bool as_double,
                                             int64_t now_ms);
  static Status Mark(const TermClause& clause, const segment::KeywordColumn* column, const ValueType& type, uint8_t mark,
                     std::vector<uint8_t>& accepted);

  std::optional<TermClause> include_, exclude_;
};

}  // namespace tiercel::search::aggs
