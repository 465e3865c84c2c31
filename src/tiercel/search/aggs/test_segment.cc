#include "tiercel/search/aggs/test_segment.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tiercel/base/check.h"
#include "tiercel/mapping/values.h"

namespace tiercel::search::aggs {
namespace {

using segment::DocId;
using segment::Ordinal;

class NumericColumnInMemory final : public segment::NumericColumn {
 public:
  NumericColumnInMemory(mapping::NumericEncoding encoding, std::vector<std::vector<int64_t>> values)
      : encoding_(encoding), values_(std::move(values)) {
    for (auto& of_doc : values_) {
      std::sort(of_doc.begin(), of_doc.end());
      if (of_doc.empty()) continue;
      min_ = std::min(min_, of_doc.front());
      max_ = std::max(max_, of_doc.back());
      value_count_ += of_doc.size();
      ++docs_with_value_;
    }
  }
  mapping::NumericEncoding encoding() const override { return encoding_; }
  uint32_t doc_count() const override { return static_cast<uint32_t>(values_.size()); }
  uint32_t docs_with_value() const override { return docs_with_value_; }
  uint64_t value_count() const override { return value_count_; }
  int64_t min() const override { return min_; }
  int64_t max() const override { return max_; }
  int64_t block_min(uint32_t) const override { return min_; }
  int64_t block_max(uint32_t) const override { return max_; }
  Status ReadBlock(uint32_t block, Block& out) const override {
    const uint32_t begin = block * kBlock, end = std::min(begin + kBlock, doc_count());
    out.doc_count = end - begin;
    out.values.clear();
    out.starts.assign(1, 0);
    out.single = true;
    for (uint32_t doc = begin; doc < end; ++doc) {
      out.values.insert(out.values.end(), values_[doc].begin(), values_[doc].end());
      out.starts.push_back(static_cast<uint32_t>(out.values.size()));
      out.single = out.single && values_[doc].size() == 1;
    }
    return {};
  }

 private:
  const mapping::NumericEncoding encoding_;
  std::vector<std::vector<int64_t>> values_;
  int64_t min_ = INT64_MAX, max_ = INT64_MIN;
  uint32_t docs_with_value_ = 0;
  uint64_t value_count_ = 0;
};

class KeywordColumnInMemory final : public segment::KeywordColumn {
 public:
  explicit KeywordColumnInMemory(const std::vector<std::vector<std::string>>& values) {
    std::set<std::string> terms;
    for (const auto& of_doc : values) terms.insert(of_doc.begin(), of_doc.end());
    terms_.assign(terms.begin(), terms.end());
    for (const auto& of_doc : values) {
      auto& ordinals = ordinals_.emplace_back();
      for (const std::string& term : of_doc)
        ordinals.push_back(static_cast<Ordinal>(std::lower_bound(terms_.begin(), terms_.end(), term) - terms_.begin()));
      std::sort(ordinals.begin(), ordinals.end());
      ordinals.erase(std::unique(ordinals.begin(), ordinals.end()), ordinals.end());
      value_count_ += ordinals.size();
      docs_with_value_ += ordinals.empty() ? 0 : 1;
    }
  }
  uint32_t doc_count() const override { return static_cast<uint32_t>(ordinals_.size()); }
  uint32_t docs_with_value() const override { return docs_with_value_; }
  uint64_t value_count() const override { return value_count_; }
  uint32_t cardinality() const override { return static_cast<uint32_t>(terms_.size()); }
  Result<std::string> Term(Ordinal ordinal) const override { return terms_.at(ordinal); }
  Result<std::pair<Ordinal, bool>> LowerBound(std::string_view term) const override {
    const auto at = std::lower_bound(terms_.begin(), terms_.end(), term);
    return std::pair(static_cast<Ordinal>(at - terms_.begin()), at != terms_.end() && *at == term);
  }
  Status ReadBlock(uint32_t block, Block& out) const override {
    const uint32_t begin = block * kBlock, end = std::min(begin + kBlock, doc_count());
    out.doc_count = end - begin;
    out.ordinals.clear();
    out.starts.assign(1, 0);
    out.single = true;
    for (uint32_t doc = begin; doc < end; ++doc) {
      out.ordinals.insert(out.ordinals.end(), ordinals_[doc].begin(), ordinals_[doc].end());
      out.starts.push_back(static_cast<uint32_t>(out.ordinals.size()));
      out.single = out.single && ordinals_[doc].size() == 1;
    }
    return {};
  }

 private:
  std::vector<std::string> terms_;
  std::vector<std::vector<Ordinal>> ordinals_;
  uint32_t docs_with_value_ = 0;
  uint64_t value_count_ = 0;
};

class SegmentInMemory final : public segment::Segment {
 public:
  SegmentInMemory(const mapping::Mapping& mapping, const std::vector<std::string>& documents)
      : doc_count_(static_cast<uint32_t>(documents.size())) {
    for (uint32_t doc = 0; doc < doc_count_; ++doc) {
      auto parsed = json::Document::Parse(documents[doc]);
      TIERCEL_CHECK(parsed.ok(), parsed.status().ToString());
      AddObject(mapping, "", parsed->root(), doc);
    }
    for (auto& [name, values] : numbers_) {
      numeric_.emplace(name,
                       std::make_unique<NumericColumnInMemory>(mapping.Find(name)->encoding(), std::move(values)));
    }
    for (auto& [name, values] : strings_) keyword_.emplace(name, std::make_unique<KeywordColumnInMemory>(values));
  }

  const std::string& name() const override { return name_; }
  uint64_t size_bytes() const override { return 0; }
  uint32_t doc_count() const override { return doc_count_; }
  std::string_view codec() const override { return "none"; }
  std::span<const segment::FieldInfo> fields() const override { return {}; }
  Result<std::string> Id(DocId doc) const override { return std::to_string(doc); }
  Result<std::optional<DocId>> FindId(std::string_view) const override { return std::optional<DocId>(); }
  Result<std::string> Source(DocId) const override { return std::string("{}"); }
  const segment::NumericColumn* numeric(std::string_view field) const override {
    const auto found = numeric_.find(field);
    return found == numeric_.end() ? nullptr : found->second.get();
  }
  const segment::KeywordColumn* keyword(std::string_view field) const override {
    const auto found = keyword_.find(field);
    return found == keyword_.end() ? nullptr : found->second.get();
  }
  const segment::VectorColumn* vector(std::string_view) const override { return nullptr; }
  const segment::TermIndex* terms(std::string_view) const override { return nullptr; }
  const segment::Norms* norms(std::string_view) const override { return nullptr; }
  Status Verify() const override { return {}; }

 private:
  void AddObject(const mapping::Mapping& mapping, const std::string& prefix, json::Value object, DocId doc) {
    for (const auto [key, value] : object.members()) AddValue(mapping, prefix + std::string(key), value, doc);
  }
  void AddValue(const mapping::Mapping& mapping, const std::string& path, json::Value value, DocId doc) {
    if (value.is_object()) return AddObject(mapping, path + ".", value, doc);
    if (value.is_array()) {
      for (const json::Value element : value.elements()) AddValue(mapping, path, element, doc);
      return;
    }
    const mapping::Field* field = mapping.Find(path);
    if (field == nullptr || value.is_null() || !field->doc_values) return;
    if (field->is_numeric_column()) {
      const auto encoded = mapping::EncodeNumeric(*field, value, 0);
      TIERCEL_CHECK(encoded.ok(), encoded.status().ToString());
      auto& values = numbers_[path];
      values.resize(doc_count_);
      values[doc].push_back(*encoded);
    } else if (field->is_keyword_column()) {
      auto& values = strings_[path];
      values.resize(doc_count_);
      const std::string text = value.ToDisplayString();
      values[doc].push_back(field->type == mapping::FieldType::kIp ? mapping::ParseIp(text).value() : text);
    }
  }

  const std::string name_ = "test";
  const uint32_t doc_count_;
  std::map<std::string, std::vector<std::vector<int64_t>>> numbers_;
  std::map<std::string, std::vector<std::vector<std::string>>> strings_;
  std::map<std::string, std::unique_ptr<NumericColumnInMemory>, std::less<>> numeric_;
  std::map<std::string, std::unique_ptr<KeywordColumnInMemory>, std::less<>> keyword_;
};

std::string Difference(const std::string& path, json::Value expected, json::Value actual) {
  const auto differ = [&] {
    return path + ": expected " + std::string(expected.raw()) + ", got " + std::string(actual.raw());
  };
  if (expected.is_number() && actual.is_number()) {
    const double a = expected.as_double(), b = actual.as_double();
    return std::fabs(a - b) <= 1e-9 * std::max(std::fabs(a), std::fabs(b)) ? "" : differ();
  }
  if (expected.type() != actual.type() || expected.size() != actual.size()) return differ();
  if (expected.is_object()) {
    for (const auto [key, value] : expected.members()) {
      const json::Value other = actual[key];
      if (!other.exists()) return path + ": no member " + std::string(key) + " in " + std::string(actual.raw());
      if (std::string found = Difference(path + "/" + std::string(key), value, other); !found.empty()) return found;
    }
    return "";
  }
  if (expected.is_array()) {
    auto other = actual.elements().begin();
    size_t i = 0;
    for (const json::Value value : expected.elements()) {
      if (std::string found = Difference(path + "/" + std::to_string(i++), value, *other); !found.empty()) return found;
      ++other;
    }
    return "";
  }
  return expected.raw() == actual.raw() || expected.ToDisplayString() == actual.ToDisplayString() ? "" : differ();
}

}  // namespace

std::shared_ptr<const mapping::Mapping> TestMapping(std::string_view mappings_json) {
  auto parsed = json::Document::Parse(mappings_json);
  TIERCEL_CHECK(parsed.ok(), parsed.status().ToString());
  auto mapping = mapping::Mapping::Parse(parsed->root());
  TIERCEL_CHECK(mapping.ok(), mapping.status().ToString());
  return *mapping;
}

std::shared_ptr<const segment::Segment> TestSegment(const mapping::Mapping& mapping,
                                                    const std::vector<std::string>& documents) {
  return std::make_shared<SegmentInMemory>(mapping, documents);
}

SearchTarget TestIndex::target() const {
  SearchTarget target;
  target.index = "test";
  target.mapping = mapping;
  return target;
}

Result<std::string> Aggregate(const TestIndex& index, std::string_view aggs_json,
                              const std::vector<std::vector<DocId>>& docs, bool typed_keys) {
  TIERCEL_TRY_ASSIGN(const json::Document parsed, json::Document::Parse(aggs_json));
  TIERCEL_TRY_ASSIGN(const auto set, AggregationSet::Parse(parsed.root()));
  const SearchTarget target = index.target();
  const SearchEnvironment environment;
  TIERCEL_TRY(set->Validate(target, environment));
  std::vector<std::unique_ptr<AggregationPartial>> partials;
  for (size_t i = 0; i < index.segments.size(); ++i) {
    TIERCEL_TRY_ASSIGN(auto collector, set->NewCollector(target, index.segments[i], environment));
    std::vector<DocId> all;
    if (docs.empty()) {
      for (DocId doc = 0; doc < index.segments[i].segment->doc_count(); ++doc) {
        if (index.segments[i].IsLive(doc)) all.push_back(doc);
      }
    }
    TIERCEL_TRY(collector->Collect(docs.empty() ? all : docs[i]));
    TIERCEL_TRY_ASSIGN(auto partial, collector->Finish());
    partials.push_back(std::move(partial));
  }
  std::string out;
  json::Writer writer(out);
  TIERCEL_TRY(set->Reduce(std::move(partials), *index.mapping, typed_keys, environment, writer));
  return out;
}

std::string JsonDifference(std::string_view expected, std::string_view actual) {
  const auto left = json::Document::Parse(expected), right = json::Document::Parse(actual);
  if (!left.ok() || !right.ok()) return "not JSON: " + std::string(left.ok() ? actual : expected);
  return Difference("", left->root(), right->root());
}

}  // namespace tiercel::search::aggs
