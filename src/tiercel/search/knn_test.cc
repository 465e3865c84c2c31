#include "tiercel/search/knn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include "tiercel/base/random.h"

namespace tiercel::search {
namespace {

using mapping::ElementType;
using mapping::Similarity;
using segment::SegmentView;

// Bytes in memory that count how often they were borrowed; nothing is ever copied out of them.
class MemoryInput final : public cache::Input {
 public:
  explicit MemoryInput(Bytes bytes) : bytes_(std::move(bytes)) {}
  const std::string& name() const override { return name_; }
  uint64_t size() const override { return bytes_.size(); }
  Result<cache::Borrowed> Borrow(uint64_t offset, uint64_t length) const override {
    return cache::Borrowed(ByteSpan(bytes_).subspan(offset, length));
  }
  Status BorrowMany(std::span<const uint64_t> offsets, uint64_t, cache::BorrowScratch& scratch) const override {
    scratch.rows.clear();
    for (const uint64_t offset : offsets) scratch.rows.push_back(bytes_.data() + offset);
    return {};
  }

 private:
  std::string name_ = "vectors";
  Bytes bytes_;
};

// Rows given to documents 0, step, 2*step, …; runs break every `run_rows` rows, as at region boundaries.
class FakeColumn final : public segment::VectorColumn {
 public:
  FakeColumn(ElementType element, uint32_t dims, uint32_t row_bytes, uint32_t step, uint32_t run_rows, Bytes rows,
             std::vector<float> magnitudes)
      : element_(element),
        dims_(dims),
        row_bytes_(row_bytes),
        step_(step),
        run_rows_(run_rows),
        magnitudes_(std::move(magnitudes)),
        input_(std::move(rows)) {}
  uint32_t dims() const override { return dims_; }
  ElementType element() const override { return element_; }
  uint32_t row_bytes() const override { return row_bytes_; }
  uint32_t count() const override { return static_cast<uint32_t>(input_.size() / row_bytes_); }
  bool dense() const override { return step_ == 1; }
  DocId doc_of(uint32_t row) const override { return row * step_; }
  std::optional<uint32_t> row_of(DocId doc) const override {
    return doc % step_ == 0 && doc / step_ < count() ? std::optional(doc / step_) : std::nullopt;
  }
  uint64_t row_offset(uint32_t row) const override { return uint64_t{row} * row_bytes_; }
  const cache::Input& input() const override { return input_; }
  Result<Run> BorrowRun(uint32_t first, uint32_t limit) const override {
    const uint32_t rows = std::min(limit, run_rows_ - first % run_rows_);
    TIERCEL_TRY_ASSIGN(cache::Borrowed bytes, input_.Borrow(row_offset(first), uint64_t{rows} * row_bytes_));
    return Run{std::move(bytes), rows, row_bytes_};
  }
  Result<std::span<const float>> magnitudes() const override { return std::span<const float>(magnitudes_); }

 private:
  ElementType element_;
  uint32_t dims_, row_bytes_, step_, run_rows_;
  std::vector<float> magnitudes_;
  MemoryInput input_;
};

class FakeSegment final : public segment::Segment {
 public:
  FakeSegment(uint32_t docs, std::unique_ptr<FakeColumn> column) : docs_(docs), column_(std::move(column)) {}
  const std::string& name() const override { return name_; }
  uint64_t size_bytes() const override { return 0; }
  uint32_t doc_count() const override { return docs_; }
  std::string_view codec() const override { return "lz4"; }
  std::span<const segment::FieldInfo> fields() const override { return {}; }
  Result<std::string> Id(DocId doc) const override { return std::to_string(doc); }
  Result<std::optional<DocId>> FindId(std::string_view) const override { return std::optional<DocId>(); }
  Result<std::string> Source(DocId) const override { return std::string("{}"); }
  const segment::NumericColumn* numeric(std::string_view) const override { return nullptr; }
  const segment::KeywordColumn* keyword(std::string_view) const override { return nullptr; }
  const segment::VectorColumn* vector(std::string_view field) const override {
    return field == "v" ? column_.get() : nullptr;
  }
  const segment::TermIndex* terms(std::string_view) const override { return nullptr; }
  const segment::Norms* norms(std::string_view) const override { return nullptr; }
  Status Verify() const override { return {}; }

 private:
  std::string name_ = "fake";
  uint32_t docs_;
  std::unique_ptr<FakeColumn> column_;
};

// Documents that satisfy a predicate.
class PredicateQuery final : public Query {
 public:
  explicit PredicateQuery(std::function<bool(DocId)> accepts) : accepts_(std::move(accepts)) {}
  Result<std::unique_ptr<Scorer>> MakeScorer(const SegmentView& view, ScoreMode) const override;
  const std::function<bool(DocId)> accepts_;
};

class PredicateScorer final : public Scorer {
 public:
  PredicateScorer(const std::function<bool(DocId)>& accepts, DocId end) : accepts_(accepts), end_(end) {}
  DocId doc() const override { return doc_; }
  DocId Next() override { return Advance(started_ ? doc_ + 1 : 0); }
  DocId Advance(DocId target) override {
    started_ = true;
    for (doc_ = target; doc_ < end_ && !accepts_(doc_);) ++doc_;
    return doc_ = doc_ < end_ ? doc_ : segment::kNoMoreDocs;
  }
  float Score() override { return 1; }
  uint64_t cost() const override { return end_; }
  const Status& status() const override { return status_; }
  float MaxScore(DocId, DocId* last) override {
    *last = segment::kNoMoreDocs;
    return 1;
  }
  uint32_t NextBatch(std::span<DocId> docs, std::span<float>) override {
    uint32_t n = 0;
    while (n < docs.size() && doc_ != segment::kNoMoreDocs && Next() != segment::kNoMoreDocs) docs[n++] = doc_;
    return n;
  }

 private:
  const std::function<bool(DocId)>& accepts_;
  DocId end_, doc_ = 0;
  bool started_ = false;
  Status status_;
};

Result<std::unique_ptr<Scorer>> PredicateQuery::MakeScorer(const SegmentView& view, ScoreMode) const {
  return std::unique_ptr<Scorer>(std::make_unique<PredicateScorer>(accepts_, view.segment->doc_count()));
}

struct FloatSegment {
  SegmentView view;
  std::vector<std::vector<float>> rows;
};

FloatSegment MakeFloats(uint32_t rows, uint32_t dims, uint32_t step, uint32_t run_rows, Random& random) {
  FloatSegment made;
  Bytes bytes(size_t{rows} * dims * 4);
  std::vector<float> magnitudes;
  for (uint32_t r = 0; r < rows; ++r) {
    std::vector<float> row;
    double squared = 0;
    for (uint32_t d = 0; d < dims; ++d) {
      row.push_back(static_cast<float>(std::round(random.Unit() * 8 - 4)));  // coarse, so that ties happen
      squared += double{row.back()} * double{row.back()};
    }
    if (squared == 0) row[0] = 1, squared = 1;
    std::memcpy(bytes.data() + size_t{r} * dims * 4, row.data(), dims * 4);
    magnitudes.push_back(static_cast<float>(std::sqrt(squared)));
    made.rows.push_back(row);
  }
  auto column = std::make_unique<FakeColumn>(ElementType::kFloat, dims, dims * 4, step, run_rows, std::move(bytes),
                                             std::move(magnitudes));
  made.view.segment = std::make_shared<FakeSegment>(rows * step, std::move(column));
  return made;
}

double ExpectedScore(Similarity similarity, const std::vector<float>& query, const std::vector<float>& row) {
  double dot = 0, distance = 0, q = 0, r = 0;
  for (size_t d = 0; d < row.size(); ++d) {
    dot += double{query[d]} * double{row[d]};
    distance += std::pow(double{query[d]} - double{row[d]}, 2);
    q += double{query[d]} * double{query[d]};
    r += double{row[d]} * double{row[d]};
  }
  switch (similarity) {
    case Similarity::kL2Norm:
      return 1 / (1 + distance);
    case Similarity::kCosine:
      return (1 + dot / std::sqrt(q * r)) / 2;
    case Similarity::kDotProduct:
      return std::max(0.0, (1 + dot) / 2);
    case Similarity::kMaxInnerProduct:
      return dot < 0 ? 1 / (1 - dot) : dot + 1;
  }
  return 0;
}

VectorQuery MakeQuery(Similarity similarity, std::vector<float> floats) {
  VectorQuery query;
  query.similarity = similarity;
  query.dims = static_cast<uint32_t>(floats.size());
  if (similarity == Similarity::kCosine) {
    double squared = 0;
    for (const float f : floats) squared += double{f} * double{f};
    for (float& f : floats) f = static_cast<float>(f / std::sqrt(squared));
  }
  query.floats = std::move(floats);
  return query;
}

class FindNearestTest : public testing::TestWithParam<Similarity> {
 protected:
  // Compares with a scan in double precision over the documents `accepts` lets through.
  void Check(const std::vector<FloatSegment>& segments, const std::vector<float>& floats, const Query* filter,
             const std::function<bool(const SegmentView&, DocId)>& accepts, uint32_t k) {
    std::vector<SegmentView> views;
    std::vector<double> want;
    for (const FloatSegment& s : segments) {
      views.push_back(s.view);
      const segment::VectorColumn& column = *s.view.segment->vector("v");
      for (uint32_t r = 0; r < column.count(); ++r)
        if (accepts(s.view, column.doc_of(r))) want.push_back(ExpectedScore(GetParam(), floats, s.rows[r]));
    }
    std::sort(want.rbegin(), want.rend());
    const VectorQuery query = MakeQuery(GetParam(), floats);
    runtime::ThreadPool pool("test", 2, 100);
    for (runtime::ThreadPool* p : {static_cast<runtime::ThreadPool*>(nullptr), &pool}) {
      const SearchEnvironment environment{.pool = p};
      const Result<std::vector<ScoredDoc>> got =
          FindNearest({.vector = &query, .field = "v", .filter = filter, .k = k}, views, environment);
      ASSERT_TRUE(got.ok()) << got.status().ToString();
      ASSERT_EQ(got->size(), std::min<size_t>(k, want.size()));
      for (size_t i = 0; i < got->size(); ++i) {
        const ScoredDoc& hit = (*got)[i];
        EXPECT_NEAR(hit.score, want[i], 1e-6 * std::max(1.0, want[i])) << i;
        EXPECT_TRUE(accepts(views[hit.segment], hit.doc));
        if (i == 0) continue;
        const ScoredDoc& before = (*got)[i - 1];
        EXPECT_TRUE(before.score > hit.score || (before.score == hit.score && std::pair(before.segment, before.doc) <
                                                                                  std::pair(hit.segment, hit.doc)));
      }
    }
  }
};

TEST_P(FindNearestTest, AgreesWithAScanInDouble) {
  Random random(11);
  std::vector<FloatSegment> segments;
  segments.push_back(MakeFloats(9000, 7, 1, 1000, random));
  segments.push_back(MakeFloats(300, 7, 3, 64, random));
  segments.push_back(MakeFloats(1, 7, 1, 1, random));
  auto live = std::make_shared<segment::LiveDocs>(9000);
  for (DocId doc = 0; doc < 9000; doc += 2) live->Delete(doc);
  segments[0].view.live = live;
  const std::vector<float> query = {1, -2, 3, 0.5f, 0, 1, 2};
  const auto is_live = [](const SegmentView& view, DocId doc) { return view.IsLive(doc); };
  Check(segments, query, nullptr, is_live, 10);
  Check(segments, query, nullptr, is_live, 700);
  Check(segments, query, nullptr, is_live, 100000);
}

TEST_P(FindNearestTest, FiltersGoFirstWhetherTheyKeepMuchOrLittle) {
  Random random(12);
  std::vector<FloatSegment> segments;
  segments.push_back(MakeFloats(2000, 5, 1, 700, random));
  segments.push_back(MakeFloats(500, 5, 2, 64, random));
  const std::vector<float> query = {1, 1, -1, 2, 0};
  for (const uint32_t modulus : {1u, 3u, 97u, 100000u}) {
    const auto accepts = [modulus](DocId doc) { return modulus == 3 ? doc % 3 != 0 : doc % modulus == modulus / 2; };
    const PredicateQuery filter(accepts);
    Check(segments, query, &filter, [&](const SegmentView&, DocId doc) { return accepts(doc); }, 20);
  }
}

INSTANTIATE_TEST_SUITE_P(All, FindNearestTest,
                         testing::Values(Similarity::kL2Norm, Similarity::kCosine, Similarity::kDotProduct,
                                         Similarity::kMaxInnerProduct));

TEST(FindNearestTest, SimilarityCutsOffAndBoostMultiplies) {
  Bytes bytes;
  for (const float f : {1.0f, 0.0f, 0.8f, 0.1f, 0.5f, 0.5f, 0.0f, 1.0f, -0.5f, 0.0f}) {
    const auto* p = reinterpret_cast<const uint8_t*>(&f);
    bytes.insert(bytes.end(), p, p + 4);
  }
  SegmentView view;
  view.segment = std::make_shared<FakeSegment>(
      5, std::make_unique<FakeColumn>(ElementType::kFloat, 2, 8, 1, 5, std::move(bytes), std::vector<float>()));
  const VectorQuery query = MakeQuery(Similarity::kMaxInnerProduct, {1, 0});
  const KnnSearch search{.vector = &query, .field = "v", .k = 5, .score_min = query.ScoreOfCutOff(0.4f), .boost = 2};
  const Result<std::vector<ScoredDoc>> hits = FindNearest(search, std::span(&view, 1), {});
  ASSERT_TRUE(hits.ok());
  ASSERT_EQ(hits->size(), 3u);
  EXPECT_FLOAT_EQ((*hits)[0].score, 4.0f);
  EXPECT_FLOAT_EQ((*hits)[1].score, 3.6f);
  EXPECT_FLOAT_EQ((*hits)[2].score, 3.0f);
}

TEST(FindNearestTest, BytesAndBits) {
  const Bytes rows = {1, 2, 3, 4, 255, 254, 3, 128};
  SegmentView view;
  view.segment = std::make_shared<FakeSegment>(
      2, std::make_unique<FakeColumn>(ElementType::kByte, 4, 4, 1, 2, rows,
                                      std::vector<float>{std::sqrt(30.0f), std::sqrt(16398.0f)}));
  VectorQuery query;
  query.element = ElementType::kByte;
  query.dims = 4;
  query.bytes = {1, 2, 3, 4};
  const auto scores = [&] {
    const Result<std::vector<ScoredDoc>> hits =
        FindNearest({.vector = &query, .field = "v", .k = 2}, std::span(&view, 1), {});
    return std::pair((*hits)[0].score, (*hits)[1].score);
  };
  query.similarity = Similarity::kDotProduct;
  EXPECT_FLOAT_EQ(scores().first, 0.5002289f);
  query.similarity = Similarity::kCosine;
  query.inverse_magnitude = 1 / std::sqrt(30.0f);
  EXPECT_NEAR(scores().second, 0.13785905f, 1e-6);
  view.segment = std::make_shared<FakeSegment>(
      2, std::make_unique<FakeColumn>(ElementType::kBit, 16, 2, 1, 2, Bytes{1, 2, 255, 127}, std::vector<float>()));
  query.element = ElementType::kBit;
  query.similarity = Similarity::kL2Norm;
  query.dims = 16;
  query.bytes = {1, 2};
  EXPECT_FLOAT_EQ(scores().first, 1.0f);
  EXPECT_FLOAT_EQ(scores().second, 0.1875f);
}

TEST(FindNearestTest, ACancelledSearchStops) {
  Random random(1);
  const FloatSegment made = MakeFloats(20000, 4, 1, 20000, random);
  const VectorQuery query = MakeQuery(Similarity::kL2Norm, {1, 2, 3, 4});
  runtime::Cancellation cancellation;
  cancellation.Cancel();
  const SearchEnvironment environment{.cancellation = &cancellation};
  EXPECT_EQ(
      FindNearest({.vector = &query, .field = "v", .k = 2}, std::span(&made.view, 1), environment).status().code(),
      Code::kCancelled);
}

}  // namespace
}  // namespace tiercel::search
