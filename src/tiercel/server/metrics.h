// Metrics: what /_prometheus/metrics shows. Counting is relaxed atomics on the hot path; the exposition format is built
// only when somebody asks.
//
// Thread safety: RequestMetrics from any thread; a MetricsPage belongs to one. Lifetime: RequestMetrics borrows
// nothing.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tiercel::server {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

struct LatencyHistogram {
  // Upper bounds in microseconds; one more bucket counts the rest.
  static constexpr std::array<uint64_t, 12> kBounds = {100,   250,   500,    1000,   2500,    5000,
                                                       10000, 25000, 100000, 500000, 2500000, 10000000};
  std::array<std::atomic<uint64_t>, kBounds.size() + 1> counts{};
  std::atomic<uint64_t> sum_us{0};

  void Add(uint64_t us);
};

// Requests by route and status class, and their latencies by route.
class RequestMetrics {
 public:
  explicit RequestMetrics(size_t routes);
  void Record(size_t route, int status, uint64_t us);

  struct Row {
    std::array<std::atomic<uint64_t>, 4> by_class{};  // 2xx, 3xx, 4xx, 5xx
    LatencyHistogram latency;
  };
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
};

class MetricsPage {
 public:
  MetricsPage();
  ~MetricsPage();
  MetricsPage(const MetricsPage&) = delete;
  MetricsPage& operator=(const MetricsPage&) = delete;

  void Counter(std::string_view name, std::string_view help, double value, const MetricLabels& labels = {});
  void Gauge(std::string_view name, std::string_view help, double value, const MetricLabels& labels = {});
  void Histogram(std::string_view name, std::string_view help, const LatencyHistogram& histogram,
                 const MetricLabels& labels = {});
  // In the text exposition format.
  std::string Serialize() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Adds one subsystem's metrics to a page.
using MetricsSource = std::function<void(MetricsPage&)>;

}  // namespace tiercel::server
