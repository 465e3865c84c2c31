#include "tiercel/server/filter_path.h"

#include <algorithm>

#include "tiercel/server/url.h"

namespace tiercel::server {
namespace {

using Pattern = std::vector<std::string>;

// A pattern of which the first `at` segments are matched.
struct State {
  const Pattern* pattern;
  size_t at;
  bool operator==(const State&) const = default;
  bool complete() const { return at == pattern->size(); }
  bool any_depth() const { return !complete() && (*pattern)[at] == "**"; }
};
using States = std::vector<State>;

Pattern Split(std::string_view text) {
  Pattern segments(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '.') {
      segments.back() += text[++i];
    } else if (text[i] == '.') {
      segments.emplace_back();
    } else {
      segments.back() += text[i];
    }
  }
  return segments;
}

// '*' matches any run of characters. Linear but for backtracking to the last star.
bool WildcardMatch(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

void AddState(States& states, State state) {
  if (std::find(states.begin(), states.end(), state) == states.end()) states.push_back(state);
}

// "**" may also match nothing: its successor is alive as well.
void AddClosed(States& states, State state) {
  AddState(states, state);
  while (state.any_depth()) {
    ++state.at;
    AddState(states, state);
  }
}

States Start(const std::vector<Pattern>& patterns) {
  States states;
  for (const Pattern& pattern : patterns) AddClosed(states, {&pattern, 0});
  return states;
}

States Step(const States& states, std::string_view name) {
  States next;
  for (const State& state : states) {
    if (state.complete()) continue;
    if (state.any_depth()) {
      AddClosed(next, state);
    } else if (WildcardMatch((*state.pattern)[state.at], name)) {
      AddClosed(next, {state.pattern, state.at + 1});
    }
  }
  return next;
}

bool AnyComplete(const States& states) {
  return std::any_of(states.begin(), states.end(), [](const State& state) { return state.complete(); });
}

class Filter {
 public:
  // Writes what is kept of `value` to `out`; false, and nothing written, when nothing is. `kept`: an include already
  // covers it.
  bool Write(json::Value value, const States& includes, const States& excludes, bool kept, std::string& out) const {
    if (kept && excludes.empty()) {
      out += value.raw();
      return true;
    }
    if (value.is_object()) return WriteChildren(value, includes, excludes, kept, out);
    if (value.is_array()) return WriteElements(value, includes, excludes, kept, out);
    if (kept) out += value.raw();
    return kept;
  }

 private:
  bool WriteChildren(json::Value value, const States& includes, const States& excludes, bool kept,
                     std::string& out) const {
    const size_t start = out.size();
    bool any = kept && value.empty();
    out += '{';
    for (const auto [key, child] : value.members()) {
      const States next_excludes = Step(excludes, key);
      if (AnyComplete(next_excludes)) continue;
      const States next_includes = kept ? States() : Step(includes, key);
      const bool child_kept = kept || AnyComplete(next_includes);
      if (!child_kept && next_includes.empty()) continue;
      const size_t before = out.size();
      if (out.back() != '{') out += ',';
      json::AppendQuoted(key, out);
      out += ':';
      if (Write(child, next_includes, next_excludes, child_kept, out)) {
        any = true;
      } else {
        out.resize(before);
      }
    }
    out += '}';
    if (!any) out.resize(start);
    return any;
  }

  bool WriteElements(json::Value value, const States& includes, const States& excludes, bool kept,
                     std::string& out) const {
    const size_t start = out.size();
    bool any = kept && value.empty();
    out += '[';
    for (const json::Value child : value.elements()) {
      const size_t before = out.size();
      if (before > start + 1) out += ',';
      if (Write(child, includes, excludes, kept, out)) {
        any = true;
      } else {
        out.resize(before);
      }
    }
    out += ']';
    if (!any) out.resize(start);
    return any;
  }
};

}  // namespace

FilterPath::FilterPath(std::string_view patterns) {
  for (const std::string& item : SplitList(patterns)) {
    const bool exclude = item.front() == '-';
    const std::string_view text = std::string_view(item).substr(exclude ? 1 : 0);
    if (!text.empty()) (exclude ? excludes_ : includes_).push_back(Split(text));
  }
}

std::string FilterPath::Apply(json::Value root) const {
  std::string out;
  const bool everything = includes_.empty();
  const std::string_view nothing = root.is_array() ? "[]" : "{}";
  if (!Filter().Write(root, Start(includes_), Start(excludes_), everything, out)) out = nothing;
  return out;
}

}  // namespace tiercel::server
