// Queries made of queries: bool, dis_max, constant_score, and the name a clause was given.
//
// Thread safety: immutable and shared.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tiercel/search/disjunction_scorer.h"
#include "tiercel/search/query.h"

namespace tiercel::search {

struct BooleanClauses {
  std::vector<std::unique_ptr<Query>> must, should, filter, must_not;
  // How many of `should` must match; without must and filter clauses at least one has to.
  uint32_t minimum_should_match = 0;
};
std::unique_ptr<Query> MakeBooleanQuery(BooleanClauses clauses);

// At least one of the queries, scored by the combination.
std::unique_ptr<Query> MakeDisjunctionQuery(std::vector<std::unique_ptr<Query>> queries, Combination combination);
std::unique_ptr<Query> MakeConstantScoreQuery(std::unique_ptr<Query> filter, float score);
std::unique_ptr<Query> MakeNamedQuery(std::unique_ptr<Query> query, std::string name);

}  // namespace tiercel::search
