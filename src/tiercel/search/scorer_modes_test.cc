// Every way through a query's documents must give the same answer: Next, Advance and NextBatch, with and without
// scores, pruned and not, and all of them what combining the leaves by hand gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tiercel/base/random.h"
#include "tiercel/search/index_fixture.h"

namespace tiercel::search {
namespace {

using Scores = std::map<DocId, float>;  // of one segment

constexpr const char* kWords[] = {"alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel"};

// Word i occurs about half as often as word i - 1.
std::string Word(Random& random) {
  size_t word = 0;
  while (word + 1 < std::size(kWords) && random.OneIn(2)) ++word;
  return kWords[word];
}

std::string RandomText(Random& random, size_t words_max) {
  std::string text;
  for (size_t words = random.Below(words_max) + 1; words > 0; --words) text += Word(random) + " ";
  return text;
}

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  std::string Document() {
    std::string doc = "{\"body\":\"" + RandomText(random_, random_.OneIn(50) ? 60 : 8) + "\"";
    if (!random_.OneIn(4)) doc += ",\"title\":\"" + RandomText(random_, 3) + "\"";
    if (!random_.OneIn(3)) doc += ",\"tag\":\"" + Word(random_) + "\"";
    doc += ",\"n\":" + std::to_string(random_.Below(1000));
    if (random_.OneIn(5))
      doc += ",\"m\":[" + std::to_string(random_.Below(50)) + "," + std::to_string(random_.Below(50)) + "]";
    return doc + "}";
  }

  std::string Query(int depth) {
    if (depth > 0 && !random_.OneIn(3)) return Compound(depth);
    switch (random_.Below(9)) {
      case 0:
        return R"({"range":{"n":{"gte":)" + std::to_string(random_.Below(900)) + R"(,"lt":)" +
               std::to_string(random_.Below(1000)) + "}}}";
      case 1:
        return R"({"term":{"tag":")" + Word(random_) + "\"}}";
      case 2:
        return R"({"match_phrase":{"body":")" + Word(random_) + " " + Word(random_) + "\"}}";
      case 3:
        return R"({"terms":{"m":[3,7,11]}})";
      case 4:
        return R"({"exists":{"field":"title"}})";
      case 5:
        return R"({"wildcard":{"tag":"*o*"}})";
      default:
        return std::string(R"({"match":{")") + (random_.OneIn(3) ? "title" : "body") + "\":\"" + Word(random_) + "\"}}";
    }
  }

  Random& random() { return random_; }

 private:
  std::string Clauses(int depth, size_t most) {
    std::string list;
    for (size_t left = random_.Below(most) + 1; left > 0; --left) list += (list.empty() ? "" : ",") + Query(depth - 1);
    return "[" + list + "]";
  }

  std::string Compound(int depth) {
    if (random_.OneIn(5))
      return R"({"dis_max":{"tie_breaker":0.)" + std::to_string(random_.Below(10)) + R"(,"queries":)" +
             Clauses(depth, 3) + "}}";
    if (random_.OneIn(8)) return R"({"constant_score":{"boost":1.5,"filter":)" + Query(depth - 1) + "}}";
    std::string body;
    for (const char* kind : {"must", "filter", "must_not"}) {
      if (random_.OneIn(3)) body += "\"" + std::string(kind) + "\":" + Clauses(depth, 2) + ",";
    }
    if (body.empty() || random_.OneIn(2)) {
      body += "\"should\":" + Clauses(depth, 4) + ",";
      if (random_.OneIn(3)) body += "\"minimum_should_match\":" + std::to_string(random_.Below(3)) + ",";
    }
    return R"({"bool":{)" + body + R"("boost":1}})";
  }

  Random random_;
};

// Combines the leaves' documents by the meaning of the compound queries, one document at a time.
class Model {
 public:
  Model(const IndexFixture& index, const segment::SegmentView& view) : index_(index), view_(view) {}

  Scores Evaluate(json::Value query) {
    const auto [name, body] = *query.members().begin();
    if (name == "bool") return Bool(body);
    if (name == "dis_max") return DisMax(body);
    if (name == "constant_score") {
      Scores scores = Evaluate(body["filter"]);
      for (auto& [doc, score] : scores) score = static_cast<float>(body["boost"].as_double());
      return scores;
    }
    return Leaf(query);
  }

 private:
  Scores Leaf(json::Value query) {
    const auto [known, fresh] = leaves_.try_emplace(std::string(query.raw()));
    if (!fresh) return known->second;
    const std::unique_ptr<Query> parsed = ParseQuery(query, index_.context()).value();
    const std::unique_ptr<Scorer> scorer = parsed->MakeScorer(view_, ScoreMode::kScores).value();
    if (scorer) {
      for (DocId doc = scorer->Next(); doc != kNoMoreDocs; doc = scorer->Next()) known->second[doc] = scorer->Score();
    }
    return known->second;
  }

  std::vector<Scores> All(json::Value clauses) {
    std::vector<Scores> all;
    for (const json::Value clause : clauses.elements()) all.push_back(Evaluate(clause));
    return all;
  }

  Scores DisMax(json::Value body) {
    const std::vector<Scores> queries = All(body["queries"]);
    Scores scores;
    for (DocId doc = 0; doc < view_.segment->doc_count(); ++doc) {
      double sum = 0;
      float best = -1;
      for (const Scores& query : queries) {
        if (!query.contains(doc)) continue;
        sum += query.at(doc);
        best = std::max(best, query.at(doc));
      }
      if (best >= 0)
        scores[doc] = static_cast<float>(best + (sum - best) * static_cast<float>(body["tie_breaker"].as_double()));
    }
    return scores;
  }

  Scores Bool(json::Value body) {
    std::map<std::string, std::vector<Scores>> clauses;
    for (const char* kind : {"must", "filter", "must_not", "should"}) {
      if (body[kind].exists()) clauses[kind] = All(body[kind]);
    }
    const bool required = clauses.contains("must") || clauses.contains("filter") ||
                          (clauses.contains("must_not") && !clauses.contains("should"));
    const json::Value minimum_value = body["minimum_should_match"];
    const size_t minimum =
        std::max<size_t>(minimum_value.exists() ? static_cast<size_t>(minimum_value.as_int64()) : 0, required ? 0 : 1);
    Scores scores;
    for (DocId doc = 0; doc < view_.segment->doc_count(); ++doc) {
      const auto has = [doc](const Scores& of) { return of.contains(doc); };
      const auto all = [&](const char* kind) { return std::all_of(clauses[kind].begin(), clauses[kind].end(), has); };
      const auto count = static_cast<size_t>(std::count_if(clauses["should"].begin(), clauses["should"].end(), has));
      if (!all("must") || !all("filter") || std::any_of(clauses["must_not"].begin(), clauses["must_not"].end(), has) ||
          count < minimum)
        continue;
      double sum = 0;
      for (const char* kind : {"must", "should"}) {
        for (const Scores& clause : clauses[kind]) sum += clause.contains(doc) ? clause.at(doc) : 0;
      }
      scores[doc] = static_cast<float>(sum);
    }
    return scores;
  }

  const IndexFixture& index_;
  const segment::SegmentView& view_;
  std::map<std::string, Scores> leaves_;
};

class ScorerModesTest : public ::testing::TestWithParam<uint64_t> {
 protected:
  static std::unique_ptr<Scorer> Open(const Query& query, const segment::SegmentView& view, ScoreMode mode) {
    return query.MakeScorer(view, mode).value();
  }

  static Scores Batches(Scorer& scorer, size_t size, bool scored) {
    Scores found;
    std::vector<DocId> docs(size);
    std::vector<float> scores(scored ? size : 0);
    while (const uint32_t count = scorer.NextBatch(docs, scores)) {
      for (uint32_t i = 0; i < count; ++i) {
        EXPECT_TRUE(found.empty() || docs[i] > found.rbegin()->first);
        found[docs[i]] = scored ? scores[i] : 0;
      }
    }
    return found;
  }

  static void ExpectClose(const Scores& expected, const Scores& actual) {
    ASSERT_EQ(expected.size(), actual.size());
    for (auto e = expected.begin(), a = actual.begin(); e != expected.end(); ++e, ++a) {
      ASSERT_EQ(e->first, a->first);
      ASSERT_NEAR(e->second, a->second, 1e-6 * std::max(1.0f, e->second)) << "document " << e->first;
    }
  }

  static void ExpectDocs(const Scores& expected, const Scores& actual) {
    ASSERT_EQ(expected.size(), actual.size());
    for (auto e = expected.begin(), a = actual.begin(); e != expected.end(); ++e, ++a) ASSERT_EQ(e->first, a->first);
  }

  // Jumps ahead by random strides, and must land where the model says.
  static void ExpectAdvances(Scorer& scorer, const Scores& expected, Random& random, bool after_batch) {
    DocId target = static_cast<DocId>(random.Below(100));
    if (after_batch) {
      std::vector<DocId> docs(random.OneIn(4) ? 10000 : 7);
      const uint32_t count = scorer.NextBatch(docs, {});
      if (count == 0) return;
      target += docs[count - 1] + 1;
    }
    while (true) {
      const auto wanted = expected.lower_bound(target);
      const DocId doc = scorer.Advance(target);
      if (wanted == expected.end()) {
        ASSERT_EQ(doc, kNoMoreDocs);
        return;
      }
      ASSERT_EQ(doc, wanted->first) << "from " << target;
      ASSERT_NEAR(scorer.Score(), wanted->second, 1e-6 * std::max(1.0f, wanted->second));
      target = doc + 1 + static_cast<DocId>(random.OneIn(3) ? random.Below(3000) : random.Below(20));
    }
  }

  static std::vector<std::pair<float, DocId>> TopOf(const Scores& scores, size_t k) {
    std::vector<std::pair<float, DocId>> best;
    for (const auto& [doc, score] : scores) best.emplace_back(score, doc);
    std::stable_sort(best.begin(), best.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    best.resize(std::min(k, best.size()));
    return best;
  }

  // The k best as a collector finds them, telling the scorer the score to beat after every batch or document.
  static std::vector<std::pair<float, DocId>> Top(Scorer& scorer, size_t k, size_t batch) {
    std::vector<std::pair<float, DocId>> best;  // score, then earlier document
    const auto better = [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    };
    const auto collect = [&](DocId doc, float score) {
      best.emplace_back(score, doc);
      std::sort(best.begin(), best.end(), better);
      if (best.size() > k) best.pop_back();
    };
    std::vector<DocId> docs(batch);
    std::vector<float> scores(batch);
    if (batch == 0) {
      for (DocId doc = scorer.Next(); doc != kNoMoreDocs; doc = scorer.Next()) {
        collect(doc, scorer.Score());
        if (best.size() == k) scorer.SetMinScore(best.back().first);
      }
      return best;
    }
    while (const uint32_t count = scorer.NextBatch(docs, scores)) {
      for (uint32_t i = 0; i < count; ++i) collect(docs[i], scores[i]);
      if (best.size() == k) scorer.SetMinScore(best.back().first);
    }
    return best;
  }
};

TEST_P(ScorerModesTest, AgreeWithEachOtherAndTheModel) {
  Generator generator(GetParam());
  IndexFixture index(
      R"({"properties":{"body":{"type":"text"},"title":{"type":"text"},"tag":{"type":"keyword"},"n":{"type":"integer"},
      "m":{"type":"long"}}})");
  std::vector<std::string> docs;
  for (int i = 0; i < 6000; ++i) docs.push_back(generator.Document());
  index.AddSegment(docs);
  index.AddSegment({docs.begin(), docs.begin() + 300});
  const segment::SegmentView& view = index.segments()[0];
  Model model(index, view);
  for (int round = 0; round < 40; ++round) {
    const std::string text = generator.Query(3);
    SCOPED_TRACE(text);
    const json::Document body = json::Document::Parse(text).value();
    const Scores expected = model.Evaluate(body.root());
    const std::unique_ptr<Query> query = ParseQuery(body.root(), index.context()).value();
    std::unique_ptr<Scorer> scorer = Open(*query, view, ScoreMode::kScores);
    if (!scorer) {
      ASSERT_TRUE(expected.empty());
      continue;
    }
    Scores walked;
    for (DocId doc = scorer->Next(); doc != kNoMoreDocs; doc = scorer->Next()) walked[doc] = scorer->Score();
    ExpectClose(expected, walked);
    ExpectClose(expected, Batches(*Open(*query, view, ScoreMode::kScores), generator.random().Below(600) + 1, true));
    if (std::unique_ptr<Scorer> unscored = Open(*query, view, ScoreMode::kNoScores))
      ExpectDocs(expected, Batches(*unscored, 256, false));
    ExpectAdvances(*Open(*query, view, ScoreMode::kScores), expected, generator.random(), false);
    ExpectAdvances(*Open(*query, view, ScoreMode::kScores), expected, generator.random(), true);
    if (HasFatalFailure()) return;
    const size_t k = generator.random().Below(20) + 1;
    const auto best = TopOf(expected, k);
    // Adding the same scores in another order may change the last bit of the sum; the documents found must score the
    // same.
    for (const size_t batch : {size_t{0}, size_t{1}, size_t{100}, size_t{5000}}) {
      const auto pruned = Top(*Open(*query, view, ScoreMode::kTopScores), k, batch);
      ASSERT_EQ(best.size(), pruned.size());
      for (size_t i = 0; i < best.size(); ++i) {
        ASSERT_NEAR(best[i].first, pruned[i].first, 1e-6 * std::max(1.0f, best[i].first)) << "batch " << batch;
        ASSERT_NEAR(expected.at(pruned[i].second), pruned[i].first, 1e-6 * std::max(1.0f, best[i].first));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ScorerModesTest, ::testing::Values(1, 2, 156));

}  // namespace
}  // namespace tiercel::search
