// Why a field cannot be sorted on, aggregated or shown from its column. Thread safety: pure functions.
#pragma once

#include <string_view>

#include "tiercel/base/status.h"
#include "tiercel/mapping/field.h"

namespace tiercel::search {

enum class FielddataUse { kSort, kDocvalueFields, kAggregation };  // aggregations judge vectors themselves

// OK when the field has a column for that use; InvalidArgument in Elasticsearch's words otherwise.
Status CheckFielddata(const mapping::Field& field, std::string_view index, FielddataUse use);

}  // namespace tiercel::search
