#include "tiercel/server/metrics.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <limits>
#include <map>

namespace tiercel::server {

void LatencyHistogram::Add(uint64_t us) {
  const size_t bucket = std::lower_bound(kBounds.begin(), kBounds.end(), us) - kBounds.begin();
  counts[bucket].fetch_add(1, std::memory_order_relaxed);
  sum_us.fetch_add(us, std::memory_order_relaxed);
}

RequestMetrics::RequestMetrics(size_t routes) : rows_(routes) {}

void RequestMetrics::Record(size_t route, int status, uint64_t us) {
  if (route >= rows_.size()) return;
  const int status_class = std::clamp(status / 100, 2, 5) - 2;
  rows_[route].by_class[static_cast<size_t>(status_class)].fetch_add(1, std::memory_order_relaxed);
  rows_[route].latency.Add(us);
}

struct MetricsPage::State {
  std::vector<prometheus::MetricFamily> families;
  std::map<std::string, size_t, std::less<>> positions;

  prometheus::ClientMetric& Add(std::string_view name, std::string_view help, prometheus::MetricType type,
                                const MetricLabels& labels) {
    const auto [at, added] = positions.try_emplace(std::string(name), families.size());
    if (added) {
      families.emplace_back();
      families.back().name = std::string(name);
      families.back().help = std::string(help);
      families.back().type = type;
    }
    prometheus::ClientMetric& metric = families[at->second].metric.emplace_back();
    for (const auto& [label, value] : labels) metric.label.push_back({label, value});
    return metric;
  }
};

MetricsPage::MetricsPage() : state_(std::make_unique<State>()) {}
MetricsPage::~MetricsPage() = default;

void MetricsPage::Counter(std::string_view name, std::string_view help, double value, const MetricLabels& labels) {
  state_->Add(name, help, prometheus::MetricType::Counter, labels).counter.value = value;
}

void MetricsPage::Gauge(std::string_view name, std::string_view help, double value, const MetricLabels& labels) {
  state_->Add(name, help, prometheus::MetricType::Gauge, labels).gauge.value = value;
}

void MetricsPage::Histogram(std::string_view name, std::string_view help, const LatencyHistogram& histogram,
                            const MetricLabels& labels) {
  constexpr double kMicrosPerSecond = 1e6;
  auto& out = state_->Add(name, help, prometheus::MetricType::Histogram, labels).histogram;
  uint64_t total = 0;
  for (size_t i = 0; i < histogram.counts.size(); ++i) {
    total += histogram.counts[i].load(std::memory_order_relaxed);
    const bool last = i == LatencyHistogram::kBounds.size();
    out.bucket.push_back({total, last ? std::numeric_limits<double>::infinity()
                                      : static_cast<double>(LatencyHistogram::kBounds[i]) / kMicrosPerSecond});
  }
  out.sample_count = total;
  out.sample_sum = static_cast<double>(histogram.sum_us.load(std::memory_order_relaxed)) / kMicrosPerSecond;
}

std::string MetricsPage::Serialize() const { return prometheus::TextSerializer().Serialize(state_->families); }

}  // namespace tiercel::server
