// What a value, a set of values or a range means on a field of each type.
//
// Thread safety: as Binder. Errors: InvalidArgument as Elasticsearch words them, not yet wrapped in
// query_shard_exception.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tiercel/search/binder.h"
#include "tiercel/search/literal.h"
#include "tiercel/search/query.h"

namespace tiercel::search {

// Documents whose field holds the value: scored for text, keyword and boolean, constant for the rest. A date matches
// the whole of the unit it names, an address may be a CIDR block.
Result<std::unique_ptr<Query>> MakeFieldTermQuery(Binder& binder, const mapping::Field& field, const Literal& value,
                                                  float boost);
// Any of the values, all at one score.
Result<std::unique_ptr<Query>> MakeFieldTermsQuery(Binder& binder, const mapping::Field& field,
                                                   std::span<const Literal> values, float boost);

struct RangeBounds {
  std::optional<Literal> low, high;
  bool include_low = true, include_high = true;
  std::string format;     // of date bounds
  std::string time_zone;  // of date bounds
};
Result<std::unique_ptr<Query>> MakeFieldRangeQuery(Binder& binder, const mapping::Field& field,
                                                   const RangeBounds& bounds, float boost);

// Queries on what every document has: _id, _index, _seq_no. Nothing when `field` is none of them.
Result<std::unique_ptr<Query>> MakeMetadataTermsQuery(Binder& binder, std::string_view field,
                                                      std::span<const Literal> values, float boost);
bool IsMetadataField(std::string_view field);

}  // namespace tiercel::search
