#include "tiercel/search/aggs/order.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tiercel::search::aggs {
namespace {

std::string PathText(const OrderPath& path) {
  std::string text;
  for (const std::string& name : path.names) text += (text.empty() ? "" : ">") + name;
  return path.metric.empty() ? text : text + "." + path.metric;
}

// "a>b.c" or "a>b[c]".
Result<OrderPath> ParsePath(std::string_view text) {
  OrderPath path;
  std::string_view rest = text;
  while (true) {
    const size_t next = rest.find('>');
    std::string_view element = rest.substr(0, next);
    if (element.empty()) return InvalidArgument("Invalid path [" + std::string(text) + "]");
    if (next == std::string_view::npos) {
      if (const size_t bracket = element.find('['); bracket != std::string_view::npos) {
        if (bracket == 0 || element.back() != ']') {
          return InvalidArgument("Invalid path element [" + std::string(element) + "] in path [" + std::string(text) +
                                 "]");
        }
        path.metric = element.substr(bracket + 1, element.size() - bracket - 2);
        element = element.substr(0, bracket);
      } else if (const size_t dot = element.find('.'); dot != std::string_view::npos) {
        path.metric = element.substr(dot + 1);
        element = element.substr(0, dot);
        if (path.metric.empty() || element.empty())
          return InvalidArgument("Invalid path element [" + std::string(text) + "] in path [" + std::string(text) +
                                 "]");
      }
      path.names.emplace_back(element);
      return path;
    }
    path.names.emplace_back(element);
    rest.remove_prefix(next + 1);
  }
}

// Java's order of doubles: NaN after everything, -0.0 before 0.0.
int CompareDoubles(double a, double b) {
  if (a < b) return -1;
  if (a > b) return 1;
  if (std::isnan(a) || std::isnan(b)) return static_cast<int>(std::isnan(a)) - static_cast<int>(std::isnan(b));
  return static_cast<int>(std::signbit(b)) - static_cast<int>(std::signbit(a));
}

Status OrderParsingException(const Parameter& parameter, json::Value at, std::string message) {
  if (at.is_array() || at.is_object()) return parameter.Failed(ParsingException(std::move(message), at));
  return parameter.FailedAt(at, ParsingException(std::move(message), at));
}

}  // namespace

Status InvalidOrderPath(const OrderPath& path, std::string reason) {
  return InvalidArgument("Invalid aggregation order path [" + PathText(path) + "]. " + reason)
      .WithType("invalid_path")
      .WithCause(InvalidArgument(reason));
}

Status CheckSingleValueOrder(const OrderPath& path) {
  if (path.metric.empty() || path.metric == "value") return {};
  return InvalidOrderPath(
      path,
      "Ordering on a single-value metrics aggregation can only be done on its value. Either drop the key (a la \"" +
          path.names.back() + "\") or change it to \"value\" (a la \"" + path.names.back() + ".value\")");
}

Status CheckMultiValueOrder(const OrderPath& path, std::span<const std::string_view> metrics) {
  if (path.metric.empty()) {
    return InvalidOrderPath(path,
                            "When ordering on a multi-value metrics aggregation a metric name must be specified.");
  }
  if (std::find(metrics.begin(), metrics.end(), path.metric) != metrics.end()) return {};
  return InvalidOrderPath(
      path, "Unknown metric name [" + path.metric + "] on multi-value metrics aggregation [" + path.names.back() + "]");
}

BucketOrder BucketOrder::CountDescending() {
  BucketOrder order;
  order.elements_ = {{By::kCount, false, {}}, {By::kKey, true, {}}};
  return order;
}

BucketOrder BucketOrder::KeyAscending() {
  BucketOrder order;
  order.elements_ = {{By::kKey, true, {}}};
  return order;
}

Result<BucketOrder::Element> BucketOrder::ParseElement(std::string_view key, const Parameter& parameter,
                                                       json::Value direction) {
  if (!direction.is_string()) {
    return OrderParsingException(
        parameter, direction, "Unexpected token [" + std::string(json::TokenName(direction.type())) + "] for [order]");
  }
  std::string word(direction.as_string());
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  if (word != "asc" && word != "desc") {
    return OrderParsingException(parameter, direction,
                                 "Unknown order direction [" + std::string(direction.as_string()) + "]");
  }
  Element element{By::kPath, word == "asc", {}};
  if (key == "_count") {
    element.by = By::kCount;
  } else if (key == "_key") {
    element.by = By::kKey;
  } else {
    auto path = ParsePath(key);
    if (!path.ok()) return parameter.FailedAt(direction, std::move(path).status());
    element.path = *std::move(path);
  }
  return element;
}

Status BucketOrder::ParseObject(const Parameter& parameter, json::Value object, std::vector<Element>& elements) {
  if (!object.is_object()) {
    return OrderParsingException(parameter, object,
                                 "Unexpected token [" + std::string(json::TokenName(object.type())) + "] for [order]");
  }
  std::optional<Element> element;
  for (const auto [key, direction] : object.members()) {
    TIERCEL_TRY_ASSIGN(element, ParseElement(key, parameter, direction));
  }
  if (!element) return OrderParsingException(parameter, object, "Must specify at least one field for [order]");
  elements.push_back(*std::move(element));
  return {};
}

Result<BucketOrder> BucketOrder::Parse(const Parameter& parameter) {
  BucketOrder order;
  const json::Value value = parameter.value();
  if (value.is_array()) {
    for (const json::Value entry : value.elements()) TIERCEL_TRY(ParseObject(parameter, entry, order.elements_));
    if (order.elements_.empty()) {
      return parameter.Failed(
          InvalidArgument("Index 0 out of bounds for length 0").WithType("index_out_of_bounds_exception"));
    }
  } else if (value.is_object()) {
    TIERCEL_TRY(ParseObject(parameter, value, order.elements_));
  } else {
    return parameter.WrongType();
  }
  if (order.elements_.back().by != By::kKey) order.elements_.push_back({By::kKey, true, {}});
  return order;
}

Status BucketOrder::Validate(const Spec& spec) const {
  for (const Element& element : elements_) {
    if (element.by != By::kPath) continue;
    const Spec* at = &spec;
    for (size_t depth = 0; depth < element.path.names.size(); ++depth) {
      const auto& children = at->children();
      const std::string& name = element.path.names[depth];
      const auto child =
          std::find_if(children.begin(), children.end(), [&](const auto& c) { return c->name() == name; });
      if (child == children.end()) {
        const std::string shown = depth == 0 ? PathText(element.path) : name;
        return InvalidOrderPath(
            element.path,
            "The provided aggregation [" + shown +
                "] either does not exist, or is a pipeline aggregation and cannot be used to sort the buckets.");
      }
      at = child->get();
      if (depth + 1 == element.path.names.size() || !at->single_bucket()) return at->CheckOrder(element.path, depth);
    }
  }
  return {};
}

void BucketOrder::Sort(std::span<Entry> entries, size_t limit, const ChildReductions& children) const {
  const auto middle = entries.begin() + static_cast<ptrdiff_t>(std::min(limit, entries.size()));
  const bool paths =
      std::any_of(elements_.begin(), elements_.end(), [](const Element& e) { return e.by == By::kPath; });
  if (paths) return SortByPaths(entries, limit, children);
  std::partial_sort(entries.begin(), middle, entries.end(), [&](const Entry& a, const Entry& b) {
    for (const Element& element : elements_) {
      const int compared = CompareCountOrKey(element, a, b);
      if (compared != 0) return element.ascending ? compared < 0 : compared > 0;
    }
    return false;
  });
}

int BucketOrder::CompareCountOrKey(const Element& element, const Entry& a, const Entry& b) {
  if (element.by == By::kCount) return static_cast<int>(a.count > b.count) - static_cast<int>(a.count < b.count);
  return static_cast<int>(a.key > b.key) - static_cast<int>(a.key < b.key);
}

void BucketOrder::SortByPaths(std::span<Entry> entries, size_t limit, const ChildReductions& children) const {
  // Values are computed once per bucket; `order` is what gets sorted.
  const size_t width = elements_.size();
  std::vector<double> values(entries.size() * width);
  for (size_t i = 0; i < entries.size(); ++i) {
    for (size_t e = 0; e < width; ++e) {
      if (elements_[e].by == By::kPath)
        values[i * width + e] = children.SortValue(entries[i].bucket, elements_[e].path, 0);
    }
  }
  std::vector<uint32_t> order(entries.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto before = [&](uint32_t a, uint32_t b) {
    for (size_t e = 0; e < width; ++e) {
      const int compared = elements_[e].by == By::kPath ? CompareDoubles(values[a * width + e], values[b * width + e])
                                                        : CompareCountOrKey(elements_[e], entries[a], entries[b]);
      if (compared != 0) return elements_[e].ascending ? compared < 0 : compared > 0;
    }
    return false;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(std::min(limit, order.size())), order.end(),
                    before);
  const std::vector<Entry> copy(entries.begin(), entries.end());
  for (size_t i = 0; i < order.size(); ++i) entries[i] = copy[order[i]];
}

}  // namespace tiercel::search::aggs
