// filter_path: keeps the parts of a JSON answer that match dotted patterns.
//
// "a.b" keeps one member, "*" stands for part of a name, "**" for any number of levels, "-a" excludes. Arrays are
// transparent: a pattern goes on with their elements. Excludes are applied to what the includes keep. Objects and
// arrays that end up empty are dropped, but for the root.
//
// Thread safety: immutable once parsed. Cost: one walk over the answer with the set of patterns still alive.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tiercel/json/value.h"
#include "tiercel/json/writer.h"

namespace tiercel::server {

class FilterPath {
 public:
  // Comma-separated list.
  explicit FilterPath(std::string_view patterns);

  bool empty() const { return includes_.empty() && excludes_.empty(); }
  std::string Apply(json::Value root) const;

 private:
  using Pattern = std::vector<std::string>;  // segments
  std::vector<Pattern> includes_, excludes_;
};

}  // namespace tiercel::server
