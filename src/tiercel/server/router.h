// Router: method and path → route, by a trie over path segments.
//
// A literal segment wins over a {name}; when the literal branch leads nowhere the {name} branch is tried. The node that
// a path ends at decides which methods are allowed, so that GET /_bulk is a 405 of _bulk and not an index named
// "_bulk".
//
// Thread safety: Add first, then any thread may Match. Lifetime: routes live as long as the router. Cost: one hash-free
// comparison chain per segment; no allocation but for the decoded values.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tiercel/base/result.h"
#include "tiercel/server/http_message.h"
#include "tiercel/server/rest_message.h"

namespace tiercel::server {

enum class BodyRule { kNone, kAllowed };
enum class RouteCost { kCheap, kBlocking };  // kCheap runs on the I/O thread

struct Route {
  HttpMethod method = HttpMethod::kGet;
  std::string pattern;                       // "/{index}/_doc/{id}"
  std::vector<std::string_view> parameters;  // query parameters it knows, beside the common ones; literals
  BodyRule body = BodyRule::kNone;
  RouteCost cost = RouteCost::kBlocking;
  std::string_view blocking_parameter;  // a query that mentions it is not cheap after all; empty: none does
  RestHandler handler;
  // Set by the router: position in routes(), and the names in the pattern.
  size_t number = 0;
  std::vector<std::string_view> value_names;
};

struct RouteMatch {
  const Route* route = nullptr;     // null: no such path, or not with this method
  std::vector<HttpMethod> allowed;  // when the path exists but not the method
  std::vector<std::pair<std::string_view, std::string>> values;
};

class Router {
 public:
  Router();
  ~Router();
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  // Adding the same method and path twice is a bug.
  void Add(Route route);
  // InvalidArgument for a path that cannot be decoded.
  Result<RouteMatch> Match(HttpMethod method, std::string_view path) const;
  const std::vector<std::unique_ptr<Route>>& routes() const { return routes_; }

 private:
  struct Node;
  std::unique_ptr<Node> root_;
  std::vector<std::unique_ptr<Route>> routes_;
};

}  // namespace tiercel::server
