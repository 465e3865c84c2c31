// WildcardPattern: '*' any characters, '?' one character, '\' takes the next one literally.
//
// Characters are Unicode code points. Without regard to case means ASCII letters only, as in Elasticsearch.
// Thread safety: immutable. Cost: matching is linear for one '*', and at worst the product of the lengths.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tiercel::search {

class WildcardPattern {
 public:
  WildcardPattern(std::string_view pattern, bool ignore_case);
  bool Matches(std::string_view text) const;
  // What every match starts with; empty when case is ignored and the pattern starts with a letter.
  const std::string& prefix() const { return prefix_; }
  // Everything matches.
  bool matches_all() const { return items_.size() == 1 && items_[0].kind == Kind::kAny; }

 private:
  enum class Kind { kLiteral, kOne, kAny };
  struct Item {
    Kind kind;
    char byte = 0;
  };
  std::vector<Item> items_;
  std::string prefix_;
  bool ignore_case_;
};

// Both without regard to the case of ASCII letters.
bool EqualsIgnoringCase(std::string_view a, std::string_view b);
bool StartsWithIgnoringCase(std::string_view text, std::string_view prefix);

}  // namespace tiercel::search
