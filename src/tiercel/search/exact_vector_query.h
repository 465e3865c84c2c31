// A query that every document with a vector matches, scored by its similarity to a given one.
//
// Under a filter it matches what passes the filter, documents without a vector with score 0; with a lowest score, only
// documents that reach it. Thread safety: immutable and shared. Cost: one vector a document; batches of unfiltered
// documents run at memory speed.
#pragma once

#include <memory>

#include "tiercel/search/knn.h"
#include "tiercel/search/query.h"

namespace tiercel::search {

// `knn.vector` must be there; `knn.k` plays no part.
std::unique_ptr<Query> MakeExactVectorQuery(BoundKnn knn);

}  // namespace tiercel::search
