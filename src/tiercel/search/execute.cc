// Execute: from a parsed request to the response.
#include <algorithm>
#include <cmath>

#include "tiercel/search/collect.h"
#include "tiercel/search/fetch.h"
#include "tiercel/search/fusion.h"
#include "tiercel/search/knn.h"
#include "tiercel/search/partial_failures.h"
#include "tiercel/search/plan.h"
#include "tiercel/search/request.h"
#include "tiercel/search/request_error.h"
#include "tiercel/search/search.h"

namespace tiercel::search {
namespace {

constexpr size_t kHitsPerTask = 32;  // hits one thread fetches before another is worth asking

// One execution of a request. Thread safety: one thread drives it.
class SearchRun {
 public:
  SearchRun(const SearchRequest& request, std::span<const SearchTarget> targets, const PartialFailures& failures,
            const SearchEnvironment& environment)
      : request_(request),
        targets_(targets),
        failures_(failures),
        environment_(environment),
        segments_(ListSegments(targets)),
        start_ns_(environment.clock->MonotonicNs()),
        context_{.targets = targets,
                 .environment = &environment,
                 .now_ms = environment.clock->WallMs(),
                 .request_size = request.size} {}

  Result<SearchOutcome> Run() {
    Status status = Search();
    // Whoever set the deadline gets what there is by then.
    if (status.code() == Code::kDeadlineExceeded) {
      collected_ = Collected();
      collected_.max_score = std::nanf("");
      collected_.timed_out = true;
    } else {
      TIERCEL_TRY(std::move(status));
    }
    return WriteResponse();
  }

 private:
  Status Search() {
    TIERCEL_TRY(CheckWindow());
    TIERCEL_TRY(Plan());
    CollectOptions options{.limit = Limit(),
                           .track_total_hits = request_.track_total_hits,
                           .track_scores = request_.track_scores,
                           .min_score = request_.min_score,
                           .terminate_after = request_.terminate_after,
                           .aggregations = request_.rrf ? nullptr : request_.aggregations.get()};
    if (request_.timeout_ms) options.deadline_ns = start_ns_ + *request_.timeout_ms * 1'000'000;
    TIERCEL_TRY_ASSIGN(collected_, CollectHits(segments_, plans_, options, environment_));
    return request_.rrf && request_.aggregations != nullptr ? AggregateOverFusion(options.deadline_ns) : Status();
  }

  uint32_t Limit() const { return request_.size == 0 ? 0 : request_.from + request_.size; }

  Status CheckWindow() const {
    const uint64_t window = uint64_t{request_.from} + request_.size;
    for (const SearchTarget& target : targets_) {
      if (window <= target.result_window_max) continue;
      return ShardFailure(
          InvalidArgument(
              "Result window is too large, from + size must be less than or equal to: [" +
              std::to_string(target.result_window_max) + "] but was [" + std::to_string(window) +
              "]. See the scroll api for a more efficient way to request large data sets. This limit can be set by "
              "changing the [index.max_result_window] index level setting."),
          target.index);
    }
    return {};
  }

  Status Plan() {
    plans_.resize(targets_.size());
    TIERCEL_TRY(request_.rrf ? PlanFusion() : PlanQueries());
    for (size_t t = 0; t < targets_.size(); ++t) {
      if (request_.post_filter.exists()) {
        TIERCEL_TRY_ASSIGN(plans_[t].post_filter, PlanQuery(request_.post_filter, context_, t));
      }
      Result<BoundSort> sort = BindSort(request_.sort, request_.search_after, targets_[t], context_.now_ms);
      if (!sort.ok()) return ShardFailure(std::move(sort).status(), targets_[t].index);
      plans_[t].sort = std::move(sort).value();
      if (request_.aggregations == nullptr) continue;
      Status valid = request_.aggregations->Validate(targets_[t], environment_);
      if (!valid.ok()) return ShardFailure(std::move(valid), targets_[t].index);
    }
    return {};
  }

  Status PlanQueries() {
    std::vector<std::vector<std::vector<ScoredDoc>>> nearest;  // by clause, then target
    for (const KnnClause& clause : request_.knn) {
      TIERCEL_TRY_ASSIGN(auto lists, PlanKnn(clause, request_.filters, context_));
      nearest.push_back(std::move(lists));
    }
    for (size_t t = 0; t < targets_.size(); ++t) {
      std::vector<std::unique_ptr<Query>> queries;
      if (request_.knn.empty() || request_.query.exists() || request_.uri_query) {
        TIERCEL_TRY_ASSIGN(std::unique_ptr<Query> query, PlanOwnQuery(t));
        queries.push_back(std::move(query));
      }
      const std::vector<segment::SegmentView> segments =
          nearest.empty() ? std::vector<segment::SegmentView>() : SegmentsOf(targets_[t]);
      for (size_t c = 0; c < nearest.size(); ++c) {
        queries.push_back(WithName(MakeFixedQuery(segments, std::move(nearest[c][t])), request_.knn[c].name));
      }
      plans_[t].query = queries.size() == 1 ? std::move(queries[0]) : MakeUnion(std::move(queries));
    }
    return {};
  }

  Result<std::unique_ptr<Query>> PlanOwnQuery(size_t t) {
    std::unique_ptr<Query> query;
    if (request_.uri_query) {
      const UriQuery& uri = *request_.uri_query;
      Result<std::unique_ptr<Query>> parsed =
          ParseUriQuery(uri.text, uri.default_operator, uri.default_field, context_.For(t));
      if (!parsed.ok()) return QueryFailure(std::move(parsed).status(), targets_[t].index);
      query = std::move(parsed).value();
    } else if (request_.query.exists()) {
      TIERCEL_TRY_ASSIGN(query, PlanQuery(request_.query, context_, t));
    }
    return PlanFiltered(std::move(query), request_.filters.empty() ? 1.0f : 0.0f, request_.filters, context_, t);
  }

  Status PlanFusion() {
    TIERCEL_TRY_ASSIGN(const std::vector<RankedDoc> ranked,
                       RunRetriever(*request_.rrf, request_.rrf->rank_window_size, {}, segments_, context_));
    std::vector<std::vector<ScoredDoc>> docs(targets_.size());
    std::vector<uint32_t> bases(targets_.size(), 0);
    for (uint32_t s = static_cast<uint32_t>(segments_.size()); s-- > 0;) bases[segments_[s].target_index] = s;
    for (const RankedDoc& doc : ranked) {
      const uint32_t target = segments_[doc.segment].target_index;
      docs[target].push_back({doc.segment - bases[target], doc.doc, doc.score});
    }
    for (size_t t = 0; t < targets_.size(); ++t)
      plans_[t].query = MakeFixedQuery(SegmentsOf(targets_[t]), std::move(docs[t]));
    return {};
  }

  // Aggregations see every document that the fused queries match, not only the ranked window.
  Status AggregateOverFusion(int64_t deadline_ns) {
    std::vector<TargetPlan> plans(targets_.size());
    for (size_t t = 0; t < targets_.size(); ++t) {
      TIERCEL_TRY_ASSIGN(plans[t].query, PlanRetrieverUnion(*request_.rrf, {}, context_, t));
    }
    const CollectOptions options{.limit = 0,
                                 .track_total_hits = kTotalHitsOff,
                                 .deadline_ns = deadline_ns,
                                 .aggregations = request_.aggregations.get()};
    TIERCEL_TRY_ASSIGN(Collected all, CollectHits(segments_, plans, options, environment_));
    collected_.partials = std::move(all.partials);
    collected_.timed_out |= all.timed_out;
    return {};
  }

  Result<SearchOutcome> WriteResponse() {
    SearchOutcome outcome;
    outcome.timed_out = collected_.timed_out;
    outcome.total = collected_.total;
    json::Writer shards(outcome.shards_json);
    failures_.WriteShards(targets_, shards);
    std::string hits;
    TIERCEL_TRY(WriteHits(hits));
    std::string aggregations;
    TIERCEL_TRY(WriteAggregations(aggregations));
    json::Writer writer(outcome.json);
    writer.BeginObject();
    writer.Member("took", (environment_.clock->MonotonicNs() - start_ns_) / 1'000'000)
        .Member("timed_out", collected_.timed_out);
    if (request_.terminate_after > 0 || CountsOnly()) writer.Member("terminated_early", collected_.terminated_early);
    writer.Key("_shards").Raw(outcome.shards_json);
    writer.Key("hits").Object([&] {
      WriteTotals(writer);
      writer.Key("hits").Raw(hits);
    });
    if (!aggregations.empty()) writer.Key("aggregations").Raw(aggregations);
    writer.EndObject();
    return outcome;
  }

  // Elasticsearch says of a plain exact count, too, that it was not cut short.
  bool CountsOnly() const {
    return request_.size == 0 && request_.track_total_hits == kTotalHitsExact && request_.aggregations == nullptr &&
           request_.knn.empty() && !request_.rrf && !targets_.empty();
  }

  void WriteTotals(json::Writer& writer) const {
    const int64_t limit = request_.track_total_hits;
    const bool clipped = limit >= 0 && limit != kTotalHitsExact && collected_.total > static_cast<uint64_t>(limit);
    const uint64_t total = clipped ? static_cast<uint64_t>(limit) : collected_.total;
    if (request_.total_hits_as_int) {
      if (limit < 0)
        writer.Member("total", -1);
      else
        writer.Member("total", total);
    } else if (limit >= 0) {
      writer.Key("total").Object([&] { writer.Member("value", total).Member("relation", clipped ? "gte" : "eq"); });
    }
    writer.Key("max_score");
    const bool scored = request_.size > 0 && (request_.by_score() || request_.track_scores);
    if (targets_.empty())
      writer.Float(0);
    else if (scored && !std::isnan(collected_.max_score))
      writer.Float(collected_.max_score);
    else
      writer.Null();
  }

  Status WriteHits(std::string& out) {
    std::span<const Hit> page(collected_.hits);
    page = page.subspan(std::min<size_t>(request_.from, page.size()));
    page = page.first(std::min<size_t>(request_.size, page.size()));
    HitFetcher fetcher(request_, segments_, plans_);
    TIERCEL_TRY(fetcher.Prepare(targets_, page));
    const size_t tasks = (page.size() + kHitsPerTask - 1) / kHitsPerTask;
    std::vector<std::string> texts(tasks);
    std::vector<Status> statuses(tasks);
    const auto fetch = [&](size_t task) {
      json::Writer writer(texts[task]);
      writer.BeginArray();
      for (size_t i = task * kHitsPerTask; i < std::min(page.size(), (task + 1) * kHitsPerTask) && statuses[task].ok();
           ++i) {
        statuses[task] = ShardFailure(fetcher.WriteHit(page[i], i, writer), segments_[page[i].segment].target->index);
      }
    };
    if (tasks > 1 && environment_.pool != nullptr)
      environment_.pool->ParallelFor(tasks, fetch);
    else
      for (size_t i = 0; i < tasks; ++i) fetch(i);
    out = "[";
    for (size_t i = 0; i < tasks; ++i) {
      TIERCEL_TRY(std::move(statuses[i]));
      if (i > 0) out += ',';
      out.append(texts[i], 1);  // without its bracket
    }
    out += ']';
    return {};
  }

  Status WriteAggregations(std::string& out) {
    if (request_.aggregations == nullptr || targets_.empty()) return {};
    json::Writer writer(out);
    Status status = request_.aggregations->Reduce(std::move(collected_.partials), *targets_[0].mapping,
                                                  request_.typed_keys, environment_, writer);
    if (status.type() != "too_many_buckets_exception") return status;
    return InvalidArgument("")
        .WithType("search_phase_execution_exception")
        .With("phase", "fetch")
        .WithCause(std::move(status));
  }

  const SearchRequest& request_;
  const std::span<const SearchTarget> targets_;
  const PartialFailures& failures_;
  const SearchEnvironment& environment_;
  const std::vector<SegmentRef> segments_;
  const int64_t start_ns_;
  const PlanContext context_;
  std::vector<TargetPlan> plans_;
  Collected collected_;
};

}  // namespace

Result<SearchOutcome> Execute(const SearchRequest& request, std::span<const SearchTarget> targets,
                              const SearchEnvironment& environment) {
  PartialFailures failures(targets);
  std::vector<SearchTarget> able(targets.begin(), targets.end());
  std::erase_if(able, [](const SearchTarget& target) { return target.shards.empty() && !target.unreadable.empty(); });
  for (;;) {
    if (able.empty() && !failures.empty()) return failures.All(false);
    Result<SearchOutcome> outcome = SearchRun(request, able, failures, environment).Run();
    if (outcome.ok() && !request.allow_partial && !failures.empty()) return failures.All(true);
    if (outcome.ok() || !failures.Exclude(outcome.status(), able)) return outcome;
  }
}

}  // namespace tiercel::search
