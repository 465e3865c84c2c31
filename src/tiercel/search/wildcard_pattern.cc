#include "tiercel/search/wildcard_pattern.h"

#include <algorithm>

namespace tiercel::search {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
bool IsLetter(char c) { return Lower(c) >= 'a' && Lower(c) <= 'z'; }

// Bytes of the UTF-8 character that starts with `lead`.
size_t CharacterSize(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

}  // namespace

WildcardPattern::WildcardPattern(std::string_view pattern, bool ignore_case) : ignore_case_(ignore_case) {
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '*') {
      if (items_.empty() || items_.back().kind != Kind::kAny) items_.push_back({Kind::kAny});
    } else if (pattern[i] == '?') {
      items_.push_back({Kind::kOne});
    } else {
      if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
      items_.push_back({Kind::kLiteral, ignore_case ? Lower(pattern[i]) : pattern[i]});
    }
  }
  for (const Item& item : items_) {
    if (item.kind != Kind::kLiteral || (ignore_case && IsLetter(item.byte))) break;
    prefix_ += item.byte;
  }
}

bool WildcardPattern::Matches(std::string_view text) const {
  size_t at = 0, item = 0;
  // Where to go on when a guess for the last '*' fails: that item, and the text it would swallow one character more of.
  size_t retry_item = std::string::npos, retry_at = 0;
  while (at < text.size() || item < items_.size()) {
    if (item < items_.size()) {
      const Item& wanted = items_[item];
      if (wanted.kind == Kind::kAny) {
        retry_item = ++item;
        retry_at = at;
        continue;
      }
      if (at < text.size()) {
        if (wanted.kind == Kind::kOne) {
          at = std::min(text.size(), at + CharacterSize(text[at]));
          ++item;
          continue;
        }
        if ((ignore_case_ ? Lower(text[at]) : text[at]) == wanted.byte) {
          ++at;
          ++item;
          continue;
        }
      }
    }
    if (retry_item == std::string::npos || retry_at >= text.size()) return false;
    retry_at = std::min(text.size(), retry_at + CharacterSize(text[retry_at]));
    at = retry_at;
    item = retry_item;
  }
  return true;
}

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && StartsWithIgnoringCase(a, b);
}

bool StartsWithIgnoringCase(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(), [](char a, char b) { return Lower(a) == Lower(b); });
}

}  // namespace tiercel::search
