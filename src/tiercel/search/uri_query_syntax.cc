#include "tiercel/search/uri_query_syntax.h"

#include <algorithm>
#include <charconv>

namespace tiercel::search {
namespace {

using Occur = UriClause::Occur;
using Kind = UriClause::Kind;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class UriParser {
 public:
  UriParser(std::string_view text, bool all_required, uint32_t depth_max)
      : text_(text), all_required_(all_required), depth_max_(depth_max) {}

  Result<std::vector<UriClause>> ParseAll() {
    TIERCEL_TRY_ASSIGN(std::vector<UriClause> clauses, ParseGroup(0));
    if (at_ < text_.size()) return Malformed("unexpected )");
    return clauses;
  }

 private:
  enum class Conjunction { kNone, kAnd, kOr };

  Status Malformed(std::string_view what) const {
    return InvalidArgument("Cannot parse '" + std::string(text_) + "': " + std::string(what) + " at column " +
                           std::to_string(at_))
        .WithType("parse_exception");
  }
  Status Unsupported(std::string_view what) const {
    return InvalidArgument("[query_string] " + std::string(what) + " is not supported").WithType("parse_exception");
  }

  char Peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void SkipSpace() {
    while (IsSpace(Peek())) ++at_;
  }
  bool Take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  // A word in capitals that stands alone.
  bool TakeWord(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    const char next = Peek(word.size());
    if (next != '\0' && !IsSpace(next) && next != '(') return false;
    at_ += word.size();
    return true;
  }

  // Clauses up to the closing parenthesis or the end.
  Result<std::vector<UriClause>> ParseGroup(uint32_t depth) {
    if (depth > depth_max_) return Malformed("too many parentheses");
    std::vector<UriClause> clauses;
    while (true) {
      SkipSpace();
      if (at_ == text_.size() || Peek() == ')') return clauses;
      Conjunction conjunction = Conjunction::kNone;
      if (TakeWord("AND") || Take("&&")) {
        conjunction = Conjunction::kAnd;
      } else if (TakeWord("OR") || Take("||")) {
        conjunction = Conjunction::kOr;
      }
      if (conjunction != Conjunction::kNone && clauses.empty()) return Malformed("nothing before an operator");
      SkipSpace();
      std::optional<Occur> sign;
      if (TakeWord("NOT") || Take("-") || Take("!")) {
        sign = Occur::kMustNot;
      } else if (Take("+")) {
        sign = Occur::kMust;
      }
      SkipSpace();
      TIERCEL_TRY_ASSIGN(UriClause clause, ParseClause(depth));
      Join(clauses, conjunction, sign, clause);
      clauses.push_back(std::move(clause));
    }
  }

  // An operator binds the clause before it as well as the one after it.
  void Join(std::vector<UriClause>& before, Conjunction conjunction, std::optional<Occur> sign,
            UriClause& clause) const {
    if (!before.empty() && before.back().occur != Occur::kMustNot) {
      if (conjunction == Conjunction::kAnd) before.back().occur = Occur::kMust;
      if (conjunction == Conjunction::kOr && all_required_) before.back().occur = Occur::kShould;
    }
    const bool required = all_required_ ? conjunction != Conjunction::kOr : conjunction == Conjunction::kAnd;
    clause.occur = sign.value_or(required ? Occur::kMust : Occur::kShould);
  }

  Result<UriClause> ParseClause(uint32_t depth) {
    UriClause clause;
    const size_t start = at_;
    bool pattern = false;
    if (Peek() != '"' && Peek() != '(') {
      TIERCEL_TRY_ASSIGN(std::string name, ParseWord(pattern));
      if (!name.empty() && Peek() == ':') {
        ++at_;
        clause.field = std::move(name);
      } else {
        at_ = start;
      }
    }
    TIERCEL_TRY(ParseBody(clause, depth));
    if (Peek() == '~' && clause.kind == Kind::kPhrase) {
      ++at_;
      TIERCEL_TRY_ASSIGN(const float slop, ParseNumber());
      clause.slop = static_cast<uint32_t>(std::clamp(slop, 0.0f, 1e6f));
    } else if (Peek() == '~') {
      return Unsupported("a fuzzy term");
    }
    if (Take("^")) {
      TIERCEL_TRY_ASSIGN(clause.boost, ParseNumber());
    }
    return clause;
  }

  Status ParseBody(UriClause& clause, uint32_t depth) {
    if (Take("(")) {
      clause.kind = Kind::kGroup;
      TIERCEL_TRY_ASSIGN(clause.group, ParseGroup(depth + 1));
      return Take(")") ? Status() : Malformed("expected )");
    }
    if (Peek() == '"') {
      clause.kind = Kind::kPhrase;
      TIERCEL_TRY_ASSIGN(clause.text, ParseQuoted());
      return {};
    }
    if (Peek() == '[' || Peek() == '{') return ParseRange(clause);
    if (Peek() == '>' || Peek() == '<') return ParseComparison(clause);
    if (Peek() == '/') return Unsupported("a regular expression");
    bool pattern = false;
    TIERCEL_TRY_ASSIGN(clause.text, ParseWord(pattern));
    if (clause.text.empty()) return Malformed("expected a term");
    if (pattern) clause.kind = Kind::kPattern;
    return {};
  }

  // A bare word up to a character with a meaning. Escapes are resolved unless the word holds wildcards.
  Result<std::string> ParseWord(bool& pattern) {
    std::string resolved, typed;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (IsSpace(c) || std::string_view("()[]{}\"^~:").find(c) != std::string_view::npos) break;
      if (c == '\\') {
        if (at_ + 1 == text_.size()) return Malformed("nothing after a backslash");
        typed += c;
        ++at_;
      } else if (c == '*' || c == '?') {
        pattern = true;
      }
      resolved += text_[at_];
      typed += text_[at_];
      ++at_;
    }
    return pattern ? typed : resolved;
  }

  Result<std::string> ParseQuoted() {
    std::string quoted;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        return quoted;
      }
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      quoted += text_[at_];
    }
    return Malformed("expected \"");
  }

  Status ParseRange(UriClause& clause) {
    clause.kind = Kind::kRange;
    clause.include_low = Peek() == '[';
    ++at_;
    TIERCEL_TRY_ASSIGN(clause.low, ParseBound());
    SkipSpace();
    if (!TakeWord("TO")) return Malformed("expected TO");
    TIERCEL_TRY_ASSIGN(clause.high, ParseBound());
    SkipSpace();
    if (Peek() != ']' && Peek() != '}') return Malformed("expected ] or }");
    clause.include_high = Peek() == ']';
    ++at_;
    return {};
  }

  // "*" leaves the range open.
  Result<std::optional<std::string>> ParseBound() {
    SkipSpace();
    std::string bound;
    if (Peek() == '"') {
      TIERCEL_TRY_ASSIGN(bound, ParseQuoted());
      return std::optional(std::move(bound));
    }
    while (at_ < text_.size() && !IsSpace(text_[at_]) && text_[at_] != ']' && text_[at_] != '}') bound += text_[at_++];
    if (bound.empty()) return Malformed("expected a bound");
    if (bound == "*") return std::optional<std::string>();
    return std::optional(std::move(bound));
  }

  Status ParseComparison(UriClause& clause) {
    clause.kind = Kind::kRange;
    const bool above = Peek() == '>';
    ++at_;
    const bool inclusive = Take("=");
    TIERCEL_TRY_ASSIGN((above ? clause.low : clause.high), ParseBound());
    (above ? clause.include_low : clause.include_high) = inclusive;
    return {};
  }

  Result<float> ParseNumber() {
    float number = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (error != std::errc() || number < 0) return Malformed("expected a number");
    at_ = static_cast<size_t>(end - text_.data());
    return number;
  }

  const std::string_view text_;
  const bool all_required_;
  const uint32_t depth_max_;
  size_t at_ = 0;
};

}  // namespace

Result<std::vector<UriClause>> ParseUriSyntax(std::string_view text, bool all_required, uint32_t depth_max) {
  return UriParser(text, all_required, depth_max).ParseAll();
}

}  // namespace tiercel::search
