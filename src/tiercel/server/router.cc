#include "tiercel/server/router.h"

#include <algorithm>

#include "tiercel/base/check.h"

namespace tiercel::server {
namespace {

std::vector<std::string_view> Segments(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    if (slash != 0) segments.push_back(path.substr(0, slash));
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
  return segments;
}

bool IsWildcard(std::string_view segment) {
  return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

}  // namespace

struct Router::Node {
  std::vector<std::pair<std::string, std::unique_ptr<Node>>> literals;  // sorted by name
  std::unique_ptr<Node> wildcard;
  std::array<const Route*, kHttpMethodCount> routes{};

  bool HasRoutes() const {
    return std::any_of(routes.begin(), routes.end(), [](const Route* route) { return route != nullptr; });
  }
  const Node* Literal(std::string_view segment) const {
    const auto at = std::lower_bound(literals.begin(), literals.end(), segment,
                                     [](const auto& a, std::string_view b) { return a.first < b; });
    return at != literals.end() && at->first == segment ? at->second.get() : nullptr;
  }
  Node* Child(std::string_view segment) {
    if (IsWildcard(segment)) {
      if (!wildcard) wildcard = std::make_unique<Node>();
      return wildcard.get();
    }
    auto at = std::lower_bound(literals.begin(), literals.end(), segment,
                               [](const auto& a, std::string_view b) { return a.first < b; });
    if (at == literals.end() || at->first != segment)
      at = literals.emplace(at, std::string(segment), std::make_unique<Node>());
    return at->second.get();
  }
  // The node of a path, literal branches first; `values` collects what the wildcards on the way took.
  const Node* Find(const std::vector<std::string>& segments, size_t at, std::vector<std::string>& values) const {
    if (at == segments.size()) return HasRoutes() ? this : nullptr;
    if (const Node* literal = Literal(segments[at])) {
      if (const Node* found = literal->Find(segments, at + 1, values)) return found;
    }
    if (!wildcard) return nullptr;
    values.push_back(segments[at]);
    if (const Node* found = wildcard->Find(segments, at + 1, values)) return found;
    values.pop_back();
    return nullptr;
  }
};

Router::Router() : root_(std::make_unique<Node>()) {}
Router::~Router() = default;

void Router::Add(Route route) {
  Node* node = root_.get();
  for (const std::string_view segment : Segments(route.pattern)) node = node->Child(segment);
  const Route*& slot = node->routes[static_cast<size_t>(route.method)];
  TIERCEL_CHECK(slot == nullptr, route.pattern);
  route.number = routes_.size();
  routes_.push_back(std::make_unique<Route>(std::move(route)));
  Route& added = *routes_.back();
  for (const std::string_view segment : Segments(added.pattern)) {
    if (IsWildcard(segment)) added.value_names.push_back(segment.substr(1, segment.size() - 2));
  }
  slot = &added;
}

Result<RouteMatch> Router::Match(HttpMethod method, std::string_view path) const {
  constexpr size_t kSegmentsMax = 16;  // no route is as deep; bounds the search
  RouteMatch match;
  const std::vector<std::string_view> encoded = Segments(path);
  if (encoded.size() > kSegmentsMax) return match;
  std::vector<std::string> segments;
  segments.reserve(encoded.size());
  for (const std::string_view segment : encoded) {
    TIERCEL_TRY_ASSIGN(std::string decoded, PercentDecode(segment, path, false));
    segments.push_back(std::move(decoded));
  }
  std::vector<std::string> values;
  const Node* node = root_->Find(segments, 0, values);
  if (node == nullptr) return match;
  if (method != HttpMethod::kOther) match.route = node->routes[static_cast<size_t>(method)];
  if (match.route == nullptr) {
    for (const Route* route : node->routes) {
      if (route != nullptr) match.allowed.push_back(route->method);
    }
    return match;
  }
  for (size_t i = 0; i < values.size(); ++i)
    match.values.emplace_back(match.route->value_names[i], std::move(values[i]));
  return match;
}

}  // namespace tiercel::server
