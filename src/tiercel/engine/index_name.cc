#include "tiercel/engine/index_name.h"

#include <string>

namespace tiercel::engine {
namespace {

constexpr size_t kNameBytesMax = 255;

// What is wrong with a name in either role; empty when nothing is.
std::string NameProblem(std::string_view name) {
  if (name.empty()) return "must not be empty";
  if (name.find_first_of("\\/*?\"<>| ,") != std::string_view::npos) {
    return R"(must not contain the following characters [' ','"','*',',','/','<','>','?','\','|'])";
  }
  if (name.find('#') != std::string_view::npos) return "must not contain '#'";
  if (name.find(':') != std::string_view::npos) return "must not contain ':'";
  if (name.front() == '_' || name.front() == '-' || name.front() == '+') return "must not start with '_', '-', or '+'";
  if (name.size() > kNameBytesMax) return "index name is too long, (" + std::to_string(name.size()) + " > 255)";
  if (name == "." || name == "..") return "must not be '.' or '..'";
  return {};
}

}  // namespace

Status InvalidIndexName(std::string_view name, std::string_view problem) {
  return InvalidArgument("Invalid index name [" + std::string(name) + "], " + std::string(problem))
      .WithType("invalid_index_name_exception")
      .With("index_uuid", "_na_")
      .With("index", std::string(name));
}

Status InvalidAliasName(std::string_view name, std::string_view problem) {
  return InvalidArgument("Invalid alias name [" + std::string(name) + "]: " + std::string(problem))
      .WithType("invalid_alias_name_exception");
}

Status CheckIndexName(std::string_view name) {
  if (const std::string problem = NameProblem(name); !problem.empty()) return InvalidIndexName(name, problem);
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') return InvalidIndexName(name, "must be lowercase");
  }
  return {};
}

Status CheckAliasName(std::string_view name) {
  if (name.empty()) return InvalidArgument("alias name is required");
  if (const std::string problem = NameProblem(name); !problem.empty()) return InvalidAliasName(name, problem);
  return {};
}

bool IsPattern(std::string_view expression) { return expression.find('*') != std::string_view::npos; }

bool MatchesPattern(std::string_view pattern, std::string_view name) {
  // Greedy with one point to fall back to: the last '*' takes one more character.
  size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Status IndexNotFound(std::string_view name, std::string_view more) {
  return NotFound("no such index [" + std::string(name) + "]" + std::string(more))
      .WithType("index_not_found_exception")
      .With("resource.type", "index_or_alias")
      .With("resource.id", std::string(name))
      .With("index_uuid", "_na_")
      .With("index", std::string(name));
}

}  // namespace tiercel::engine
