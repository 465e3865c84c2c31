// RecordReader: the documents of a stream, one JSON object after another, from NDJSON, a JSON array or CSV.
//
// CSV follows RFC 4180 with a header line: a cell that is a JSON number becomes one, "true" and "false" become
// booleans, an empty cell is left out, everything else is a string.
//
// Thread safety: one thread. Lifetime: owns its source. Memory: one record at a time, at most `record_bytes_max`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/loader/byte_source.h"

namespace tiercel::loader {

enum class InputFormat { kAuto, kNdjson, kArray, kCsv };

class RecordReader {
 public:
  // kAuto looks at the first character: '[' an array, '{' NDJSON, anything else CSV.
  RecordReader(std::unique_ptr<ByteSource> source, InputFormat format, uint64_t record_bytes_max = 100u << 20);

  // The next document; nothing at the end. InvalidArgument names the record's number.
  Result<std::optional<std::string>> Next();
  uint64_t records() const { return records_; }
  const ByteSource& source() const { return *source_; }

 private:
  Status Detect();
  Result<int> Peek();  // -1 at the end
  Result<std::optional<std::string>> NextLine();
  Result<std::optional<std::string>> NextElement();
  Result<std::optional<std::string>> NextRow();
  Result<bool> ReadCells();
  Status Bad(const std::string& what) const;

  std::unique_ptr<ByteSource> source_;
  InputFormat format_;
  const uint64_t record_bytes_max_;
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0;
  uint64_t records_ = 0;
  bool array_open_ = false;
  std::vector<std::string> header_, cells_;
};

// The JSON for a CSV cell.
std::string CellToJson(const std::string& cell);

}  // namespace tiercel::loader
