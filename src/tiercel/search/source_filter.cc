// _source filtering: which members of a document's JSON stay, decided by patterns over their dotted paths.
//
// Two dialects, as in Elasticsearch. As long as no exclude holds a '*', a '*' stands for part of one path element
// ("a.*.c") and "**" for any number of them, and objects emptied by an exclude vanish. An exclude with '*' switches to
// patterns over the whole path, where '*' runs across dots, and emptied objects stay.
#include <algorithm>
#include <utility>

#include "tiercel/json/value.h"
#include "tiercel/json/writer.h"
#include "tiercel/search/request_error.h"
#include "tiercel/search/request_number.h"
#include "tiercel/search/search.h"

namespace tiercel::search {
namespace {

// A set of patterns run over the characters of a path as a nondeterministic automaton: a state is (pattern, position).
class PathMatcher {
 public:
  using States = std::vector<std::pair<uint32_t, uint32_t>>;

  PathMatcher(const std::vector<std::string>& patterns, bool stars_cross_dots) : stars_cross_dots_(stars_cross_dots) {
    for (const std::string& pattern : patterns)
      patterns_.push_back(stars_cross_dots ? pattern : WithDeepStars(pattern));
  }

  States Start() const {
    States states;
    for (uint32_t i = 0; i < patterns_.size(); ++i) Add(i, 0, states);
    return states;
  }

  States Step(States states, std::string_view text) const {
    for (const char c : text) {
      States next;
      for (const auto& [pattern, at] : states) {
        const std::string& p = patterns_[pattern];
        if (at >= p.size()) continue;
        if (IsStar(p[at])) {
          if (c != '.' || stars_cross_dots_ || p[at] == kDeepStar) Add(pattern, at, next);
        } else if (p[at] == c) {
          Add(pattern, at + 1, next);
        }
      }
      states = std::move(next);
    }
    return states;
  }

  bool Accepts(const States& states) const {
    return std::any_of(states.begin(), states.end(),
                       [&](const auto& s) { return s.second == patterns_[s.first].size(); });
  }

 private:
  static constexpr char kDeepStar = '\x01';  // "**": crosses dots; no JSON key that matters holds this byte
  static bool IsStar(char c) { return c == '*' || c == kDeepStar; }

  // "a.**.b" matches a.b too, so the deep star swallows the dot after it.
  static std::string WithDeepStars(const std::string& pattern) {
    std::string out;
    for (size_t i = 0; i < pattern.size(); ++i) {
      if (pattern.compare(i, 2, "**") != 0) {
        out += pattern[i];
        continue;
      }
      out += kDeepStar;
      ++i;
      if (i + 1 < pattern.size() && pattern[i + 1] == '.') ++i;
    }
    return out;
  }

  // A state and those a star lets it reach without a character, each once.
  void Add(uint32_t pattern, uint32_t at, States& states) const {
    for (;; ++at) {
      if (std::find(states.begin(), states.end(), std::pair(pattern, at)) == states.end())
        states.emplace_back(pattern, at);
      if (at >= patterns_[pattern].size() || !IsStar(patterns_[pattern][at])) return;
    }
  }

  std::vector<std::string> patterns_;
  bool stars_cross_dots_;
};

class Filter {
 public:
  Filter(const SourceFilter& filter, std::string& out)
      : whole_path_(std::any_of(filter.excludes.begin(), filter.excludes.end(),
                                [](const auto& p) { return p.find('*') != std::string::npos; })),
        all_(filter.includes.empty()),
        includes_(filter.includes, whole_path_),
        excludes_(filter.excludes, whole_path_),
        out_(out) {}

  void Root(json::Value object) {
    out_ += '{';
    Members(object, includes_.Start(), excludes_.Start(), all_);
    out_ += '}';
  }

 private:
  using States = PathMatcher::States;

  // Each returns whether it kept anything.
  bool Members(json::Value object, const States& include, const States& exclude, bool included) {
    bool kept = false;
    for (auto [key, value] : object.members()) {
      States out = exclude, in = include;
      if (StepKey(excludes_, key, out)) continue;
      const bool now = included || StepKey(includes_, key, in);
      if (!now && in.empty()) continue;
      kept |= Child(key, true, value, in, out, now);
    }
    return kept;
  }

  // Whether the path is matched by the key, or already by the part of it before one of its own dots.
  static bool StepKey(const PathMatcher& matcher, std::string_view key, States& states) {
    for (size_t from = 0;;) {
      const size_t dot = key.find('.', from);
      states = matcher.Step(std::move(states), key.substr(from, dot - from));
      if (matcher.Accepts(states)) return true;
      if (dot == std::string_view::npos) return false;
      states = matcher.Step(std::move(states), ".");
      from = dot + 1;
    }
  }

  bool Elements(json::Value array, const States& include, const States& exclude, bool included) {
    bool kept = false;
    for (const json::Value element : array.elements()) kept |= Child({}, false, element, include, exclude, included);
    return kept;
  }

  bool Child(std::string_view key, bool is_member, json::Value value, const States& in, const States& out,
             bool included) {
    const bool container = value.is_object() || value.is_array();
    if (!included && !container) return false;
    const size_t mark = out_.size();  // written on trial, taken back when nothing in it stays
    if (out_.back() != '{' && out_.back() != '[') out_ += ',';
    if (is_member) {
      json::AppendQuoted(key, out_);
      out_ += ':';
    }
    if (!container || (included && out.empty())) {
      out_ += value.raw();
      return true;
    }
    bool kept;
    if (value.is_object()) {
      out_ += '{';
      kept = Members(value, included ? in : includes_.Step(in, "."), excludes_.Step(out, "."), included);
      out_ += '}';
    } else {
      out_ += '[';
      kept = Elements(value, in, out, included);
      out_ += ']';
    }
    if (kept || (included && StaysEmpty(value, is_member))) return true;
    out_.resize(mark);
    return false;
  }

  bool StaysEmpty(json::Value value, bool is_member) const { return whole_path_ ? is_member : value.empty(); }

  const bool whole_path_;
  const bool all_;
  PathMatcher includes_, excludes_;
  std::string& out_;
};

Status ParsePatterns(json::Value value, std::string_view key, std::vector<std::string>& patterns) {
  if (value.is_string()) {
    patterns.emplace_back(value.as_string());
    return {};
  }
  if (!value.is_array()) return UnknownKey(value, key);
  for (const json::Value element : value.elements()) {
    if (element.is_object() || element.is_array() || element.is_null()) {
      const auto [line, column] = element.line_column();
      return InvalidArgument("Expected text at " + std::to_string(line) + ":" + std::to_string(column) + " but found " +
                             std::string(json::TokenName(element.type())));
    }
    patterns.push_back(element.ToDisplayString());
  }
  return {};
}

}  // namespace

Result<SourceFilter> ParseSourceFilter(json::Value source) {
  SourceFilter filter;
  if (source.is_bool()) {
    filter.enabled = source.as_bool();
  } else if (source.is_string() || source.is_array()) {
    TIERCEL_TRY(ParsePatterns(source, "_source", filter.includes));
  } else if (source.is_object()) {
    for (auto [key, value] : source.members()) {
      if (key == "includes" || key == "include") {
        TIERCEL_TRY(ParsePatterns(value, key, filter.includes));
      } else if (key == "excludes" || key == "exclude") {
        TIERCEL_TRY(ParsePatterns(value, key, filter.excludes));
      } else if (key == "exclude_vectors" && value.is_bool()) {
        continue;  // whoever knows the mapping acts on it
      } else {
        return UnknownKey(value, key);
      }
    }
  } else {
    return ParsingError(source, "Expected one of [VALUE_BOOLEAN, VALUE_STRING, START_ARRAY, START_OBJECT] but found [" +
                                    std::string(json::TokenName(source.type())) + "]");
  }
  return filter;
}

std::string FilterSource(std::string_view source, const SourceFilter& filter) {
  std::string out;
  const Result<json::Document> document = json::Document::Parse(source);
  if (!document.ok() || !document->root().is_object()) return "{}";
  Filter(filter, out).Root(document->root());
  return out;
}

}  // namespace tiercel::search
