// CatTable: the answer of a _cat API: rows of text cells, shown as aligned columns, JSON or YAML, or as the help of its
// columns.
//
// Thread safety: one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/server/rest_message.h"

namespace tiercel::server {

struct CatColumn {
  std::string_view name;
  std::string_view aliases;  // comma-separated
  std::string_view help;
  bool shown = true;  // without ?h=
  bool right = false;
};

// One cell. Numbers, sizes and times keep their value, so that sorting is by value and ?bytes= and ?time= choose the
// unit.
struct CatCell {
  enum class Kind { kText, kNumber, kBytes, kTimeMs } kind = Kind::kText;
  std::string text;
  int64_t value = 0;

  static CatCell Text(std::string text) { return {Kind::kText, std::move(text), 0}; }
  static CatCell Number(int64_t value) { return {Kind::kNumber, {}, value}; }
  static CatCell Bytes(uint64_t value) { return {Kind::kBytes, {}, static_cast<int64_t>(value)}; }
  static CatCell TimeMs(int64_t value) { return {Kind::kTimeMs, {}, value}; }
};

class CatTable {
 public:
  explicit CatTable(std::vector<CatColumn> columns) : columns_(std::move(columns)) {}

  // As many cells as columns.
  void AddRow(std::vector<CatCell> cells);
  // Applies h, s, v, bytes, time and format. InvalidArgument for a bad unit or sort column.
  Result<RestResponse> Render(const RestRequest& request);
  // The answer to ?help.
  RestResponse Help() const;

 private:
  std::vector<size_t> Selected(const RestRequest& request, std::vector<std::string>& titles) const;
  Status Sort(std::string_view order);
  size_t Find(std::string_view name) const;  // columns_.size() when there is none

  std::vector<CatColumn> columns_;
  std::vector<std::vector<CatCell>> rows_;
};

// "4.1kb", "10kb": one decimal, dropped when it is zero.
std::string HumanBytes(uint64_t bytes);
// Parameters that every _cat API knows.
inline constexpr std::string_view kCatParameters[] = {"h",    "s",  "v",     "help",          "bytes",
                                                      "time", "ts", "local", "master_timeout"};

}  // namespace tiercel::server
