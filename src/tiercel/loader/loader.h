// Load: documents from a file or standard input into an index of any Elasticsearch-compatible endpoint.
//
// Thread safety: one call at a time per progress stream. Memory: bounded by the batches in flight (bulk_sender.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/loader/bulk_sender.h"
#include "tiercel/loader/progress.h"
#include "tiercel/loader/record_reader.h"
#include "tiercel/loader/vector_file.h"

namespace tiercel::loader {

struct LoadOptions {
  BulkOptions bulk;
  std::string input = "-";
  InputFormat format = InputFormat::kAuto;
  std::string id_field;  // take _id from this member; empty: the endpoint makes ids
  std::vector<VectorColumnSpec> vectors;
  uint64_t limit = 0;                     // 0: all documents
  std::optional<std::string> index_body;  // created with this body first, when the index does not exist
  bool refresh = true;                    // make everything searchable at the end
  Progress::Style progress = Progress::Style::kLines;
};

struct LoadReport {
  BulkCounters counters;
  double seconds = 0;
};

// Errors: what makes going on useless (no input, endpoint unreachable, broken input). Refused documents are in the
// report.
Result<LoadReport> Load(const LoadOptions& options, const Clock& clock = Clock::System());

}  // namespace tiercel::loader
