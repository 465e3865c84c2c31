// filter and filters: buckets of the documents that queries match.
#include <algorithm>
#include <array>

#include "tiercel/search/aggs/parse.h"
#include "tiercel/search/aggs/single_bucket.h"
#include "tiercel/search/query.h"

namespace tiercel::search::aggs {
namespace {

// A query of the request, kept as text until the index it runs on is known.
class FilterQuery {
 public:
  static Result<FilterQuery> Parse(json::Value query) {
    TIERCEL_TRY(CheckQueryShape(query));
    return FilterQuery(std::string(query.raw()));
  }
  Result<std::unique_ptr<Query>> Make(const SearchTarget& target, const SearchEnvironment& environment) const {
    TIERCEL_TRY_ASSIGN(const json::Document document, json::Document::Parse(json_));
    QueryContext context;
    context.target = &target;
    context.now_ms = environment.clock ? environment.clock->WallMs() : 0;
    context.environment = &environment;
    return ParseQuery(document.root(), context);
  }

 private:
  explicit FilterQuery(std::string json) : json_(std::move(json)) {}
  std::string json_;
};

// Which documents of a block a query matches. Blocks must come in ascending order.
class BlockMatches {
 public:
  static Result<BlockMatches> Make(const FilterQuery& filter, const CollectContext& context) {
    BlockMatches matches;
    TIERCEL_TRY_ASSIGN(matches.query_, filter.Make(*context.target, *context.environment));
    TIERCEL_TRY_ASSIGN(matches.scorer_, matches.query_->MakeScorer(*context.view, ScoreMode::kNoScores));
    if (!matches.scorer_) matches.next_ = segment::kNoMoreDocs;
    return matches;
  }

  Status Load(uint32_t block) {
    if (block == block_) return {};
    block_ = block;
    matched_.fill(0);
    const segment::DocId begin = block * kBlock, end = begin + kBlock;
    if (next_ == kNotStarted) {
      next_ = scorer_->Next();
    }
    if (next_ < begin) next_ = scorer_->Advance(begin);
    for (; next_ < end; next_ = scorer_->Next()) matched_[next_ - begin] = 1;
    return scorer_ ? scorer_->status() : Status();
  }
  bool Has(uint32_t doc) const { return matched_[doc] != 0; }

 private:
  static constexpr segment::DocId kNotStarted = segment::kNoMoreDocs - 1;
  std::unique_ptr<Query> query_;
  std::unique_ptr<Scorer> scorer_;
  segment::DocId next_ = kNotStarted;
  uint32_t block_ = UINT32_MAX;
  std::array<uint8_t, kBlock> matched_{};
};

// ---- filters ----

struct FiltersParameters {
  struct Filter {
    std::string key;
    FilterQuery query;
  };
  std::vector<Filter> filters;  // by key, when they have keys
  bool named = false;
  bool keyed = true;
  bool other = false;
  std::string other_key = "_other_";

  uint32_t bucket_count() const { return static_cast<uint32_t>(filters.size()) + (other ? 1 : 0); }
};

// Bucket of the parent × number of buckets + filter; the documents that match none come last.
struct FiltersPartial final : Partial {
  std::vector<uint64_t> counts;
};

class FiltersCollector final : public Collector {
 public:
  FiltersCollector(std::vector<BlockMatches> matches, bool other, ChildCollectors children)
      : matches_(std::move(matches)), other_(other), children_(std::move(children)) {}

  Status Collect(const Batch& batch) override {
    const auto width = static_cast<uint32_t>(matches_.size()) + (other_ ? 1 : 0);
    if (counts_.size() < size_t{batch.bucket_bound} * width) counts_.resize(size_t{batch.bucket_bound} * width, 0);
    const size_t n = batch.docs.size();
    if (docs_.size() < n) docs_.resize(n), buckets_.resize(n);
    for (BlockMatches& matches : matches_) TIERCEL_TRY(matches.Load(batch.block));
    for (uint32_t filter = 0; filter < width; ++filter) {
      size_t kept = 0;
      for (size_t i = 0; i < n; ++i) {
        const uint32_t doc = batch.docs[i];
        docs_[kept] = doc;
        buckets_[kept] = batch.buckets[i] * width + filter;
        kept += Takes(filter, doc) ? 1 : 0;
      }
      for (size_t i = 0; i < kept; ++i) ++counts_[buckets_[i]];
      if (children_.empty() || kept == 0) continue;
      TIERCEL_TRY(children_.Collect({.block = batch.block,
                                     .docs = {docs_.data(), kept},
                                     .buckets = {buckets_.data(), kept},
                                     .bucket_bound = batch.bucket_bound * width}));
    }
    return {};
  }

  Result<std::unique_ptr<Partial>> Finish(uint32_t bucket_count) override {
    const size_t buckets = size_t{bucket_count} * (matches_.size() + (other_ ? 1 : 0));
    auto partial = std::make_unique<FiltersPartial>();
    counts_.resize(buckets, 0);
    partial->counts = std::move(counts_);
    TIERCEL_TRY(children_.Finish(static_cast<uint32_t>(buckets), *partial));
    return std::unique_ptr<Partial>(std::move(partial));
  }
  uint64_t memory_bytes() const override { return counts_.capacity() * sizeof(uint64_t) + children_.memory_bytes(); }

 private:
  bool Takes(uint32_t filter, uint32_t doc) const {
    if (filter < matches_.size()) return matches_[filter].Has(doc);
    return std::none_of(matches_.begin(), matches_.end(),
                        [&](const BlockMatches& matches) { return matches.Has(doc); });
  }

  std::vector<BlockMatches> matches_;
  const bool other_;
  ChildCollectors children_;
  std::vector<uint64_t> counts_;
  std::vector<uint32_t> docs_, buckets_;
};

class FiltersReduction final : public Reduction {
 public:
  FiltersReduction(const Spec& spec, const FiltersParameters& parameters)
      : parameters_(parameters), children_(spec.children()) {}

  Status Merge(std::span<MergeInput> inputs, uint32_t owner_count, const ReduceContext& context) override {
    const uint32_t width = parameters_.bucket_count();
    TIERCEL_TRY(context.Charge(uint64_t{owner_count} * width * sizeof(uint64_t), "filters aggregation"));
    counts_.assign(size_t{owner_count} * width, 0);
    std::vector<std::vector<uint32_t>> maps;
    for (const MergeInput& input : inputs) {
      const auto& partial = static_cast<const FiltersPartial&>(*input.partial);
      auto& map = maps.emplace_back(partial.counts.size());
      for (size_t i = 0; i < map.size(); ++i) {
        map[i] = input.owners[i / width] * width + static_cast<uint32_t>(i % width);
        counts_[map[i]] += partial.counts[i];
      }
    }
    return children_.Merge(inputs, std::move(maps), owner_count * width, context);
  }
  std::string_view typed_name() const override { return "filters"; }

  Status Write(uint32_t owner, WriteContext& context, json::Writer& writer) const override {
    const bool as_object = parameters_.named && parameters_.keyed;
    const uint32_t width = parameters_.bucket_count();
    writer.Key("buckets");
    as_object ? writer.BeginObject() : writer.BeginArray();
    for (uint32_t filter = 0; filter < width; ++filter) {
      TIERCEL_TRY(CountBucket(context));
      const uint32_t bucket = owner == kNoBucket ? kNoBucket : owner * width + filter;
      const std::string& key =
          filter < parameters_.filters.size() ? parameters_.filters[filter].key : parameters_.other_key;
      if (as_object) writer.Key(key);
      writer.BeginObject();
      if (parameters_.named && !parameters_.keyed) writer.Member("key", std::string_view(key));
      writer.Member("doc_count", bucket == kNoBucket ? uint64_t{0} : counts_[bucket]);
      TIERCEL_TRY(children_.Write(bucket, context, writer));
      writer.EndObject();
    }
    as_object ? writer.EndObject() : writer.EndArray();
    return {};
  }

 private:
  const FiltersParameters& parameters_;
  ChildReductions children_;
  std::vector<uint64_t> counts_;
};

class FiltersSpec final : public Spec {
 public:
  FiltersSpec(std::string name, FiltersParameters parameters)
      : Spec("filters", std::move(name)), parameters_(std::move(parameters)) {}

  Status Validate(const SearchTarget& target, const SearchEnvironment& environment) const override {
    for (const auto& filter : parameters_.filters) TIERCEL_TRY(filter.query.Make(target, environment).status());
    return {};
  }
  Result<std::unique_ptr<Collector>> NewCollector(const CollectContext& context) const override {
    std::vector<BlockMatches> matches;
    for (const auto& filter : parameters_.filters) {
      TIERCEL_TRY_ASSIGN(BlockMatches of_filter, BlockMatches::Make(filter.query, context));
      matches.push_back(std::move(of_filter));
    }
    TIERCEL_TRY_ASSIGN(ChildCollectors children, ChildCollectors::Make(*this, context));
    return std::make_unique<FiltersCollector>(std::move(matches), parameters_.other, std::move(children));
  }
  std::unique_ptr<Reduction> NewReduction() const override {
    return std::make_unique<FiltersReduction>(*this, parameters_);
  }

 private:
  const FiltersParameters parameters_;
};

Status ReadFilters(const Parameter& parameter, FiltersParameters& parameters) {
  const json::Value value = parameter.value();
  const auto add = [&](std::string key, json::Value query) -> Status {
    TIERCEL_TRY_ASSIGN(FilterQuery filter, FilterQuery::Parse(query));
    parameters.filters.push_back({std::move(key), std::move(filter)});
    return {};
  };
  if (value.is_object()) {
    parameters.named = true;
    for (const auto [key, query] : value.members()) TIERCEL_TRY(add(std::string(key), query));
    std::sort(parameters.filters.begin(), parameters.filters.end(),
              [](const auto& a, const auto& b) { return a.key < b.key; });
    return {};
  }
  if (!value.is_array()) return parameter.WrongType();
  for (const json::Value query : value.elements()) TIERCEL_TRY(add("", query));
  return {};
}

// ---- filter ----

class FilterCollector final : public Collector {
 public:
  FilterCollector(BlockMatches matches, ChildCollectors children)
      : matches_(std::move(matches)), children_(std::move(children)) {}

  Status Collect(const Batch& batch) override {
    if (counts_.size() < batch.bucket_bound) counts_.resize(batch.bucket_bound, 0);
    TIERCEL_TRY(matches_.Load(batch.block));
    const size_t n = batch.docs.size();
    if (docs_.size() < n) docs_.resize(n), buckets_.resize(n);
    size_t kept = 0;
    for (size_t i = 0; i < n; ++i) {
      docs_[kept] = batch.docs[i], buckets_[kept] = batch.buckets[i];
      kept += matches_.Has(batch.docs[i]) ? 1 : 0;
    }
    for (size_t i = 0; i < kept; ++i) ++counts_[buckets_[i]];
    if (children_.empty() || kept == 0) return {};
    return children_.Collect({.block = batch.block,
                              .docs = {docs_.data(), kept},
                              .buckets = {buckets_.data(), kept},
                              .bucket_bound = batch.bucket_bound,
                              .whole_block = batch.whole_block && kept == n});
  }
  Result<std::unique_ptr<Partial>> Finish(uint32_t bucket_count) override {
    auto partial = std::make_unique<SingleBucketPartial>();
    counts_.resize(bucket_count, 0);
    partial->counts = std::move(counts_);
    TIERCEL_TRY(children_.Finish(bucket_count, *partial));
    return std::unique_ptr<Partial>(std::move(partial));
  }
  uint64_t memory_bytes() const override { return counts_.capacity() * sizeof(uint64_t) + children_.memory_bytes(); }

 private:
  BlockMatches matches_;
  ChildCollectors children_;
  std::vector<uint64_t> counts_;
  std::vector<uint32_t> docs_, buckets_;
};

class FilterSpec final : public SingleBucketSpec {
 public:
  FilterSpec(std::string name, FilterQuery query)
      : SingleBucketSpec("filter", std::move(name)), query_(std::move(query)) {}
  Status Validate(const SearchTarget& target, const SearchEnvironment& environment) const override {
    return query_.Make(target, environment).status();
  }
  Result<std::unique_ptr<Collector>> NewCollector(const CollectContext& context) const override {
    TIERCEL_TRY_ASSIGN(BlockMatches matches, BlockMatches::Make(query_, context));
    TIERCEL_TRY_ASSIGN(ChildCollectors children, ChildCollectors::Make(*this, context));
    return std::make_unique<FilterCollector>(std::move(matches), std::move(children));
  }

 private:
  const FilterQuery query_;
};

}  // namespace

Result<std::unique_ptr<Spec>> ParseFilter(const std::string& name, json::Value body) {
  TIERCEL_TRY_ASSIGN(FilterQuery query, FilterQuery::Parse(body));
  return std::make_unique<FilterSpec>(name, std::move(query));
}

Result<std::unique_ptr<Spec>> ParseFilters(const std::string& name, json::Value body) {
  FiltersParameters parameters;
  for (const auto [key, value] : body.members()) {
    const Parameter parameter("filters", key, value);
    if (key == "filters") {
      TIERCEL_TRY(ReadFilters(parameter, parameters));
    } else if (key == "other_bucket") {
      TIERCEL_TRY_ASSIGN(parameters.other, parameter.Bool());
    } else if (key == "other_bucket_key") {
      TIERCEL_TRY_ASSIGN(parameters.other_key, parameter.String());
      parameters.other = true;
    } else if (key == "keyed") {
      TIERCEL_TRY_ASSIGN(parameters.keyed, parameter.Bool());
    } else {
      return ParsingException("Unknown key for a " + std::string(json::TokenName(value.type())) + " in [" + name +
                                  "]: [" + std::string(key) + "].",
                              value);
    }
  }
  if (parameters.filters.empty()) return InvalidArgument("[filters] cannot be empty.");
  return std::make_unique<FiltersSpec>(name, std::move(parameters));
}

}  // namespace tiercel::search::aggs
