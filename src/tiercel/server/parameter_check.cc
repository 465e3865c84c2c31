#include "tiercel/server/parameter_check.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace tiercel::server {
namespace {

constexpr std::array<std::string_view, 5> kCommon = {"pretty", "human", "error_trace", "filter_path", "format"};
constexpr double kSuggestAbove = 0.5;

template <typename List>
bool Contains(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::string Suggestion(std::string_view name, std::span<const std::string_view> known) {
  std::vector<std::pair<double, std::string_view>> candidates;
  for (const std::string_view candidate : known) {
    const double similarity = NameSimilarity(name, candidate);
    if (similarity > kSuggestAbove) candidates.emplace_back(-similarity, candidate);
  }
  if (candidates.empty()) return {};
  std::sort(candidates.begin(), candidates.end());
  if (candidates.size() == 1) return " -> did you mean [" + std::string(candidates[0].second) + "]?";
  std::string text = " -> did you mean any of [";
  for (size_t i = 0; i < candidates.size(); ++i) text.append(i == 0 ? "" : ", ").append(candidates[i].second);
  return text + "]?";
}

}  // namespace

double NameSimilarity(std::string_view a, std::string_view b) {
  constexpr size_t kLengthMax = 64;  // parameter names are short; longer input is not a typing mistake
  if (a.empty() || b.empty() || a.size() > kLengthMax || b.size() > kLengthMax) return a == b ? 1 : 0;
  std::array<std::array<uint8_t, kLengthMax + 1>, kLengthMax + 1> distance;
  for (size_t i = 0; i <= a.size(); ++i) distance[i][0] = static_cast<uint8_t>(i);
  for (size_t j = 0; j <= b.size(); ++j) distance[0][j] = static_cast<uint8_t>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const int change = a[i - 1] == b[j - 1] ? 0 : 1;
      int best = std::min({distance[i - 1][j] + 1, distance[i][j - 1] + 1, distance[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        best = std::min(best, distance[i - 2][j - 2] + change);
      distance[i][j] = static_cast<uint8_t>(best);
    }
  }
  return 1.0 - static_cast<double>(distance[a.size()][b.size()]) / static_cast<double>(std::min(a.size(), b.size()));
}

Status CheckParameters(const RestRequest& request, std::span<const std::string_view> known) {
  std::vector<std::string_view> unknown;
  for (const auto& [name, value] : request.parameters) {
    if (!Contains(known, name) && !Contains(kCommon, name)) unknown.push_back(name);
  }
  if (unknown.empty()) return {};
  std::sort(unknown.begin(), unknown.end());
  std::string text = "request [" + std::string(request.path()) + "] contains unrecognized parameter" +
                     (unknown.size() > 1 ? "s: " : ": ");
  for (size_t i = 0; i < unknown.size(); ++i) {
    text.append(i == 0 ? "[" : ", [").append(unknown[i]).append("]").append(Suggestion(unknown[i], known));
  }
  return InvalidArgument(std::move(text));
}

}  // namespace tiercel::server
