// Reading aggregation bodies: the scalar readers and messages that all types share, and the factories of each type.
//
// A factory reads the object under the type's name. Errors are InvalidArgument with Elasticsearch's types, messages and
// positions. Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tiercel/base/result.h"
#include "tiercel/json/value.h"
#include "tiercel/search/aggs/node.h"
#include "tiercel/search/aggs/value_source.h"

namespace tiercel::search::aggs {

// One member of an aggregation body.
class Parameter {
 public:
  Parameter(std::string_view owner, std::string_view key, json::Value value)
      : owner_(owner), key_(key), value_(value) {}

  std::string_view key() const { return key_; }
  json::Value value() const { return value_; }

  Result<std::string> String() const;
  Result<bool> Bool() const;
  // Numbers and strings that hold one; fractions are cut off.
  Result<int64_t> Int() const;
  Result<double> Double() const;
  Result<Scalar> AnyScalar() const;
  // Int that must be at least `min`; `label` is how messages call it ("minDocCount"), `name` the aggregation.
  Result<int64_t> IntAtLeast(int64_t min, std::string_view label, std::string_view name) const;

  // "[1:2] [terms] failed to parse field [size]", caused by `cause`.
  Status Failed(Status cause) const;
  // The same, at a value inside this one.
  Status FailedAt(json::Value inner, Status cause) const;
  // "[1:2] [terms] size doesn't support values of type: VALUE_BOOLEAN".
  Status WrongType() const;
  // "[1:2] [terms] unknown field [siez]".
  Status Unknown() const;

 private:
  std::string owner_, key_;
  json::Value value_;
};

// Where a value's last token starts: containers are reported at their end.
std::string Position(json::Value value);
// parsing_exception with line and column attributes of the value.
Status ParsingException(std::string message, json::Value at);

enum ValueParameters : uint32_t { kNoExtras = 0, kFormat = 1, kTimeZone = 2 };
// Takes "field", "missing", "value_type" and what `extras` allows; false when the parameter is none of them. `name` is
// the aggregation's.
Result<bool> ReadValueParameter(const Parameter& parameter, const std::string& name, uint32_t extras, ValueSpec& spec);
Status RequireField(const ValueSpec& spec);

// The object under "aggs": names, definitions, sub-aggregations.
Result<std::vector<std::unique_ptr<Spec>>> ParseAggregations(json::Value aggs, uint32_t depth = 0);

using Factory = Result<std::unique_ptr<Spec>> (*)(const std::string& name, json::Value body);

Result<std::unique_ptr<Spec>> ParseAvg(const std::string& name, json::Value body);
Result<std::unique_ptr<Spec>> ParseCardinality(const std::string& name, json::Value body);
Result<std::unique_ptr<Spec>> ParseDateHistogram(const std::string& name, json::Value body);
Result<std::unique_ptr<Spec>> ParseDateRange(const std::string& name, json::Value body);
Result<std::unique_ptr<Spec>> ParseFilter(const std::string& name, json::Value body);
Result<std::unique_ptr<Spec>> ParseFilters(const std::string& name, json::Value body);
Result<std::unique_ptr<Spec>> ParseGlobal(const std::string& name, json::Value body);
Result<std::unique_ptr<Spec>> ParseHistogram(const std::string& name, json::Value body);
Result<std::unique_ptr<Spec>> ParseMax(const std::string& name, json::Value body);
Result<std::unique_ptr<Spec>> ParseMin(const std::string& name, json::Value body);
Result<std::unique_ptr<Spec>> ParseMissing(const std::string& name, json::Value body);
Result<std::unique_ptr<Spec>> ParsePercentiles(const std::string& name, json::Value body);
Result<std::unique_ptr<Spec>> ParseRange(const std::string& name, json::Value body);
Result<std::unique_ptr<Spec>> ParseStats(const std::string& name, json::Value body);
Result<std::unique_ptr<Spec>> ParseSum(const std::string& name, json::Value body);
Result<std::unique_ptr<Spec>> ParseTerms(const std::string& name, json::Value body);
Result<std::unique_ptr<Spec>> ParseValueCount(const std::string& name, json::Value body);

}  // namespace tiercel::search::aggs
