// The parts of a segment on their own, where whole segments of test size do not reach: extremes, regions of 16 MiB,
// pruning.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tiercel/base/random.h"
#include "tiercel/segment/byte_chains.h"
#include "tiercel/segment/impacts.h"
#include "tiercel/segment/norms.h"
#include "tiercel/segment/postings_cursor.h"
#include "tiercel/segment/segment_fixture.h"
#include "tiercel/segment/stored_fields.h"
#include "tiercel/segment/term_hash.h"
#include "tiercel/segment/value_blocks.h"
#include "tiercel/segment/vector_column.h"

namespace tiercel::segment {
namespace {

// Writes sections into memory and opens slices of them.
class SectionTest : public testing::Test {
 protected:
  SectionTest()
      : out_(format::ContainerKind::kSegment, 1, [this](ByteSpan bytes) {
          bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
          return Status();
        }) {}

  void Begin(std::string_view name) { ASSERT_TRUE(out_.BeginSection(name).ok()); }
  InputSlice Slice(std::string_view name) {
    if (!input_) {
      EXPECT_TRUE(out_.Finish().ok());
      input_ = InputOver(bytes_);
      container_ = *format::ReadContainer(bytes_, format::ContainerKind::kSegment, "test");
    }
    const format::Section* section = container_.Find(name);
    return InputSlice(input_.get(), section->offset, section->length);
  }

  Bytes bytes_;
  format::ContainerWriter out_;
  format::Container container_;
  std::shared_ptr<const cache::Input> input_;
};

TEST(NormsTest, LengthsAreExactTo40AndMonotone) {
  for (uint32_t length = 0; length <= 40; ++length) EXPECT_EQ(DecodeLength(EncodeLength(length)), length);
  EXPECT_EQ(DecodeLength(EncodeLength(41)), 40u);
  EXPECT_EQ(EncodeLength(INT32_MAX), 255);
  EXPECT_EQ(EncodeLength(UINT32_MAX), 255);
  for (int norm = 1; norm < 256; ++norm) {
    EXPECT_GT(DecodeLength(static_cast<uint8_t>(norm)), DecodeLength(static_cast<uint8_t>(norm - 1)));
    EXPECT_EQ(EncodeLength(DecodeLength(static_cast<uint8_t>(norm))), norm);
  }
}

TEST(ImpactsTest, KeepsWhatNothingBeatsAndBoundsTheRest) {
  ImpactAccumulator accumulator;
  std::vector<Impact> pairs;
  accumulator.Add(3, 10);
  accumulator.Add(2, 10);
  accumulator.Add(3, 12);
  accumulator.Add(5, 20);
  accumulator.Take(pairs);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].freq, 3u);
  EXPECT_EQ(pairs[0].norm, 10);
  EXPECT_EQ(pairs[1].freq, 5u);
  accumulator.Take(pairs);
  EXPECT_TRUE(pairs.empty());

  Random random(1);
  std::vector<Impact> added;
  for (int i = 0; i < 2000; ++i) {
    added.push_back({static_cast<uint32_t>(1 + random.Below(10'000)), static_cast<uint8_t>(random.Below(256))});
    accumulator.Add(added.back().freq, added.back().norm);
  }
  accumulator.Take(pairs);
  EXPECT_LE(pairs.size(), ImpactAccumulator::kMaxImpacts);
  for (const Impact& one : added) {
    EXPECT_TRUE(std::any_of(pairs.begin(), pairs.end(),
                            [&](const Impact& p) { return p.freq >= one.freq && p.norm <= one.norm; }));
  }
}

TEST(ByteChainsTest, ManyChainsGrowAtOnce) {
  ByteChains chains;
  std::vector<ByteChains::Chain> all(50);
  std::vector<std::vector<uint64_t>> expected(all.size());
  Random random(2);
  for (int i = 0; i < 60'000; ++i) {
    const size_t chain = random.Below(1 + random.Below(all.size()));
    const uint64_t value = random.Next() >> random.Below(64);
    chains.AppendVarint(all[chain], value);
    expected[chain].push_back(value);
  }
  for (size_t i = 0; i < all.size(); ++i) {
    ByteChains::Reader reader(chains, all[i]);
    for (const uint64_t value : expected[i]) ASSERT_EQ(reader.NextVarint(), value);
    EXPECT_TRUE(reader.AtEnd());
  }
}

TEST(TermHashTest, NumbersAndSorts) {
  TermHash terms;
  std::set<std::string> all;
  Random random(3);
  for (int i = 0; i < 5000; ++i) {
    std::string term = "prefix-shared-" + std::to_string(random.Below(1500));
    if (random.OneIn(2)) term = term.substr(random.Below(term.size()));
    if (random.OneIn(9)) term += std::string("\0x", 2);
    const uint32_t number = terms.Intern(term);
    EXPECT_EQ(terms.term(number), term);
    EXPECT_EQ(terms.Intern(term), number);
    all.insert(term);
  }
  ASSERT_EQ(terms.size(), all.size());
  auto expected = all.begin();
  for (const uint32_t number : terms.Sorted()) EXPECT_EQ(terms.term(number), *expected++);
}

TEST_F(SectionTest, ValueBlocksHoldExtremes) {
  const std::vector<std::vector<int64_t>> blocks[] = {
      {{INT64_MIN}, {INT64_MAX}, {0}, {-1}},
      {{}, {5}, {}, {5}},
      {{}, {}},
      {{1, 1, 1}, {}, {INT64_MIN, INT64_MAX}},
      {{86'400'000}, {0}, {-86'400'000'000}},
      std::vector<std::vector<int64_t>>(600, {7}),
      std::vector<std::vector<int64_t>>(257, std::vector<int64_t>(300, 0)),
  };
  size_t name = 0;
  for (const auto& docs : blocks) {
    Begin("b" + std::to_string(name++));
    ValueBlocksWriter writer(out_);
    for (const auto& values : docs) ASSERT_TRUE(writer.Add(values).ok());
    ASSERT_TRUE(writer.Finish().ok());
  }
  name = 0;
  for (const auto& docs : blocks) {
    const auto reader =
        ValueBlocksReader::Open(Slice("b" + std::to_string(name++)), static_cast<uint32_t>(docs.size()));
    ASSERT_TRUE(reader.ok());
    uint64_t docs_with_value = 0;
    uint64_t value_count = 0;
    for (uint32_t block = 0; block < reader->block_count(); ++block) {
      NumericColumn::Block read;
      ASSERT_TRUE(reader->Read(block, read.doc_count, read.single, read.values, read.starts).ok());
      for (uint32_t i = 0; i < read.doc_count; ++i) {
        const auto got = read.Of(i);
        ASSERT_EQ(std::vector<int64_t>(got.begin(), got.end()), docs[block * ValueBlocksReader::kBlock + i]);
      }
      EXPECT_TRUE(reader->Verify(block, docs_with_value, value_count).ok());
    }
  }
}

TEST(RowLayoutTest, RowsAreAlignedAndNeverCrossARegion) {
  for (const uint32_t row_bytes : {1u, 2u, 20u, 48u, 64u, 65u, 96u, 4096u, 6144u, 262'144u}) {
    for (const uint64_t start : {uint64_t{64}, kRegionBytes - 64, kRegionBytes, 3 * kRegionBytes + 128}) {
      const RowLayout layout(start, row_bytes);
      uint64_t end = start;
      const uint64_t alignment = row_bytes < 64 ? layout.stride() : 64;
      for (uint64_t row = 0; row < 3 * kRegionBytes / layout.stride() + 3;
           row += std::max<uint64_t>(1, layout.Together(row) - 1)) {
        const uint64_t offset = layout.OffsetOf(row);
        ASSERT_GE(offset, end) << row;
        ASSERT_EQ(offset % alignment, 0u);
        ASSERT_EQ(offset / kRegionBytes, (offset + row_bytes - 1) / kRegionBytes);
        if (layout.Together(row) > 1) {
          ASSERT_EQ(layout.OffsetOf(row + 1), offset + layout.stride());
        }
        end = offset + row_bytes;
      }
    }
  }
}

TEST_F(SectionTest, VectorsOfSeveralRegions) {
  const VectorShape shape{mapping::ElementType::kFloat,
                          1000};  // 4000 bytes, a stride of 4032 that no region holds evenly
  constexpr uint32_t kRows = 5000;
  Begin("v");
  VectorWriter writer(out_, shape);
  Bytes row(shape.row_bytes());
  for (uint32_t i = 0; i < kRows; ++i) {
    row[0] = static_cast<uint8_t>(i);
    row[1] = static_cast<uint8_t>(i >> 8);
    ASSERT_TRUE(writer.Add(i * 2, row).ok());
  }
  ASSERT_TRUE(writer.Finish(kRows * 2).ok());
  const auto column = VectorColumnReader::Open(Slice("v"), shape, kRows, kRows * 2);
  ASSERT_TRUE(column.ok()) << column.error().ToString();
  uint32_t runs = 0;
  for (uint32_t first = 0; first < kRows; ++runs) {
    const auto run = (*column)->BorrowRun(first, kRows);
    ASSERT_TRUE(run.ok());
    for (uint32_t i = 0; i < run->rows; ++i) {
      const uint8_t* at = run->bytes.data() + size_t{i} * run->stride;
      ASSERT_EQ(at[0] + at[1] * 256u, first + i);
    }
    first += run->rows;
  }
  EXPECT_EQ(runs, 2u);
  EXPECT_EQ((*column)->row_of(8), 4u);
  EXPECT_EQ((*column)->row_of(9), std::nullopt);
  EXPECT_TRUE((*column)->Verify().ok());
}

TEST_F(SectionTest, StoredRecordsOfAllSizes) {
  Random random(4);
  std::vector<std::string> records;
  for (int i = 0; i < 400; ++i) {
    const size_t size = random.OneIn(40) ? random.Below(300'000) : random.Below(900);
    std::string record(size, 'a');
    for (char& c : record) c = random.OneIn(3) ? static_cast<char>(random.Next()) : 'b';
    records.push_back(std::move(record));
  }
  Begin("stored");
  StoredWriter writer(out_);
  for (const std::string& record : records) ASSERT_TRUE(writer.Add(record).ok());
  ASSERT_TRUE(writer.Finish().ok());
  Begin("index");
  ASSERT_TRUE(writer.WriteIndex().ok());
  const InputSlice stored = Slice("stored");
  const auto reader = StoredReader::Open(stored, Slice("index"), static_cast<uint32_t>(records.size()));
  ASSERT_TRUE(reader.ok());
  StoredCursor cursor(&*reader);
  for (DocId doc = 0; doc < records.size(); ++doc) {
    std::string record;
    ASSERT_TRUE(reader->Read(doc, record).ok());
    ASSERT_EQ(record, records[doc]);
    ASSERT_EQ(*cursor.Record(doc), records[doc]);
  }
  std::string record;
  EXPECT_FALSE(reader->Read(static_cast<DocId>(records.size()), record).ok());
}

TEST_F(SectionTest, PostingsSkipBlocksAndBoundThem) {
  constexpr uint32_t kDocs = 200'000;
  NormsBuffer norms;
  Random random(5);
  for (DocId doc = 0; doc < kDocs; ++doc) norms.Set(doc, static_cast<uint8_t>(1 + random.Below(60)));
  norms.Close(kDocs);
  Begin("norms");
  ASSERT_TRUE(norms.Write(out_).ok());
  Begin("terms");
  PostingsWriter writer(out_, PostingsKind::kPositions, norms.bytes(), kDocs);
  std::vector<DocId> docs;
  std::vector<uint32_t> freqs;
  for (DocId doc = 5; doc < kDocs; doc += 1 + random.Below(random.OneIn(100) ? 3000 : 3)) {
    docs.push_back(doc);
    freqs.push_back(static_cast<uint32_t>(1 + (random.OneIn(50) ? random.Below(30) : 0)));
    std::vector<uint32_t> positions(freqs.back());
    for (uint32_t i = 0; i < positions.size(); ++i) positions[i] = i * 5;
    writer.Add(doc, positions);
  }
  const auto entry = writer.FinishTerm();
  ASSERT_TRUE(entry.ok());
  const InputSlice section = Slice("terms");
  const auto lengths = NormsReader::Open(Slice("norms"), kDocs, kDocs);
  const PostingsField field{section, PostingsKind::kPositions, kDocs, lengths->get()};
  const auto cursor = StoredPostings::Open(field, *entry);
  ASSERT_TRUE(cursor.ok());
  EXPECT_TRUE((*StoredPostings::Open(field, *entry))->Verify().ok());
  const auto whole = (*cursor)->BlockImpacts(kNoMoreDocs);
  EXPECT_EQ(whole.back().freq, *std::max_element(freqs.begin(), freqs.end()));
  // Walk block by block through the bounds alone: the cursor must not move.
  const DocId first = (*cursor)->Next();
  uint32_t blocks = 0;
  for (DocId target = 0; target != kNoMoreDocs; ++blocks) {
    const DocId last = (*cursor)->BlockLast(target);
    if (last == kNoMoreDocs) break;
    EXPECT_FALSE((*cursor)->BlockImpacts(target).empty());
    EXPECT_TRUE(std::binary_search(docs.begin(), docs.end(), last));
    target = last + 1;
  }
  EXPECT_EQ(blocks, (docs.size() + kPostingsBlock - 1) / kPostingsBlock);
  EXPECT_EQ((*cursor)->doc(), first);
  EXPECT_TRUE((*cursor)->BlockImpacts(docs.back() + 1).empty());
  // Long jumps.
  for (DocId target = 10; target < kDocs; target += 1 + static_cast<DocId>(random.Below(20'000))) {
    if (target <= (*cursor)->doc()) continue;
    const auto at = std::lower_bound(docs.begin(), docs.end(), target);
    const DocId wanted = at == docs.end() ? kNoMoreDocs : *at;
    ASSERT_EQ((*cursor)->Advance(target), wanted);
    if (wanted == kNoMoreDocs) break;
    ASSERT_EQ((*cursor)->freq(), freqs[static_cast<size_t>(at - docs.begin())]);
    ASSERT_EQ((*cursor)->Positions().size(), (*cursor)->freq());
  }
}

}  // namespace
}  // namespace tiercel::segment
