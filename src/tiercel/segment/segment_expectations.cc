// ExpectHolds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tiercel/segment/segment_fixture.h"

namespace tiercel::segment {
namespace {

using Postings = std::map<DocId, std::vector<uint32_t>>;  // positions by document

void ExpectNumeric(const Segment& segment, const std::vector<ModelDoc>& docs, const std::string& field,
                   const std::vector<std::vector<int64_t>>& expected) {
  SCOPED_TRACE(field);
  uint64_t values = 0;
  uint32_t with_value = 0;
  int64_t min = INT64_MAX;
  int64_t max = INT64_MIN;
  for (const auto& list : expected) {
    values += list.size();
    with_value += !list.empty();
    for (const int64_t value : list) min = std::min(min, value), max = std::max(max, value);
  }
  const NumericColumn* column = segment.numeric(field);
  ASSERT_EQ(column == nullptr, values == 0);
  if (column == nullptr) return;
  EXPECT_EQ(column->doc_count(), docs.size());
  EXPECT_EQ(column->docs_with_value(), with_value);
  EXPECT_EQ(column->value_count(), values);
  EXPECT_EQ(column->min(), min);
  EXPECT_EQ(column->max(), max);
  NumericCursor cursor(column);
  for (DocId doc = 0; doc < docs.size(); ++doc) {
    const auto got = cursor.Values(doc);
    ASSERT_TRUE(got.ok()) << got.error().ToString();
    ASSERT_EQ(std::vector<int64_t>(got->begin(), got->end()), expected[doc]) << "document " << doc;
    const auto only = column->OnlyValue(doc);
    ASSERT_TRUE(only.ok()) << only.error().ToString();
    ASSERT_EQ(*only, got->size() == 1 ? std::optional(got->front()) : std::nullopt) << "document " << doc;
    for (const int64_t value : *got) {
      EXPECT_LE(column->block_min(doc / NumericColumn::kBlock), value);
      EXPECT_GE(column->block_max(doc / NumericColumn::kBlock), value);
    }
  }
}

void ExpectKeyword(const Segment& segment, const std::vector<std::set<std::string>>& expected,
                   const std::string& field) {
  SCOPED_TRACE(field);
  std::set<std::string> all;
  for (const auto& values : expected) all.insert(values.begin(), values.end());
  const KeywordColumn* column = segment.keyword(field);
  ASSERT_EQ(column == nullptr, all.empty());
  if (column == nullptr) return;
  ASSERT_EQ(column->cardinality(), all.size());
  Ordinal ordinal = 0;
  for (const std::string& term : all) {
    EXPECT_EQ(*column->Term(ordinal), term);
    EXPECT_EQ(*column->LowerBound(term), std::pair(ordinal, true));
    if (!all.contains(term + '\x01')) {
      EXPECT_EQ(*column->LowerBound(term + '\x01'), std::pair(ordinal + 1, false));
    }
    ++ordinal;
  }
  KeywordCursor cursor(column);
  for (DocId doc = 0; doc < expected.size(); ++doc) {
    const auto got = cursor.Ordinals(doc);
    ASSERT_TRUE(got.ok()) << got.error().ToString();
    std::set<std::string> terms;
    for (const Ordinal o : *got) terms.insert(*column->Term(o));
    ASSERT_EQ(terms, expected[doc]) << "document " << doc;
    ASSERT_TRUE(std::is_sorted(got->begin(), got->end()));
  }
}

void ExpectPostings(const TermIndex& index, const std::string& term, const Postings& expected) {
  SCOPED_TRACE("term " + term);
  uint64_t tokens = 0;
  for (const auto& [doc, positions] : expected) tokens += index.has_positions() ? positions.size() : 1;
  const auto stats = index.Find(term);
  ASSERT_TRUE(stats.ok() && stats->has_value());
  EXPECT_EQ((*stats)->doc_freq, expected.size());
  EXPECT_EQ((*stats)->total_term_freq, tokens);
  auto cursor = std::move(*index.Postings(term));
  ASSERT_NE(cursor, nullptr);
  for (const auto& [doc, positions] : expected) {
    ASSERT_EQ(cursor->Next(), doc);
    ASSERT_GE(cursor->BlockLast(doc), doc);
    EXPECT_EQ(cursor->doc(), doc);
    if (!index.has_positions()) continue;
    ASSERT_EQ(cursor->freq(), positions.size());
    const auto got = cursor->Positions();
    ASSERT_EQ(std::vector<uint32_t>(got.begin(), got.end()), positions);
  }
  EXPECT_EQ(cursor->Next(), kNoMoreDocs);
  EXPECT_EQ(cursor->Next(), kNoMoreDocs);
  EXPECT_TRUE(cursor->status().ok());

  // Advance from everywhere in strides, against the model.
  cursor = std::move(*index.Postings(term));
  DocId target = 0;
  for (DocId stride = 1;; stride = stride * 2 % 61 + 1) {
    const auto at = expected.lower_bound(target);
    const DocId wanted = at == expected.end() ? kNoMoreDocs : at->first;
    ASSERT_EQ(cursor->Advance(target), wanted) << "to " << target;
    if (wanted == kNoMoreDocs) break;
    if (index.has_positions()) {
      ASSERT_EQ(cursor->freq(), at->second.size());
    }
    target = wanted + stride;
  }
  std::vector<DocId> docs;
  std::vector<uint32_t> freqs;
  cursor = std::move(*index.Postings(term));
  DocId buffer[77];
  uint32_t counts[77];
  while (const uint32_t got = cursor->NextBatch(buffer, counts)) {
    docs.insert(docs.end(), buffer, buffer + got);
    freqs.insert(freqs.end(), counts, counts + got);
  }
  ASSERT_EQ(docs.size(), expected.size());
  size_t i = 0;
  for (const auto& [doc, positions] : expected) {
    ASSERT_EQ(docs[i], doc);
    ASSERT_EQ(freqs[i], index.has_positions() ? positions.size() : 1);
    ++i;
  }
}

void ExpectTerms(const TermIndex* index, const std::map<std::string, Postings>& expected, uint64_t tokens) {
  ASSERT_EQ(index == nullptr, expected.empty());
  if (index == nullptr) return;
  ASSERT_EQ(index->term_count(), expected.size());
  EXPECT_EQ(index->sum_total_term_freq(), tokens);
  std::set<DocId> docs;
  auto terms = std::move(*index->Terms(""));
  Ordinal ordinal = 0;
  for (const auto& [term, postings] : expected) {
    ASSERT_TRUE(terms->valid());
    EXPECT_EQ(terms->term(), term);
    EXPECT_EQ(terms->ordinal(), ordinal++);
    EXPECT_EQ(terms->stats().doc_freq, postings.size());
    EXPECT_EQ((*index->Postings(*terms))->Next(), postings.begin()->first);
    ASSERT_TRUE(terms->Next().ok());
    ExpectPostings(*index, term, postings);
    for (const auto& entry : postings) docs.insert(entry.first);
    if (!expected.contains(term + "~")) {
      EXPECT_EQ(*index->Postings(term + "~"), nullptr);
    }
  }
  EXPECT_FALSE(terms->valid());
  EXPECT_EQ(index->doc_count(), docs.size());
}

void ExpectText(const Segment& segment, const std::vector<ModelDoc>& docs, const std::string& field, bool with_norms) {
  SCOPED_TRACE(field);
  std::map<std::string, Postings> expected;
  uint64_t tokens = 0;
  uint32_t present = 0;
  for (DocId doc = 0; doc < docs.size(); ++doc) {
    const auto text = docs[doc].texts.find(field);
    const Norms* norms = segment.norms(field);
    if (norms != nullptr) {
      ASSERT_EQ(norms->has(doc), text != docs[doc].texts.end());
    }
    if (text == docs[doc].texts.end()) continue;
    ++present;
    uint32_t length = 0;
    for (size_t i = 0; i < text->second.size(); ++i) {
      const auto& [term, position] = text->second[i];
      expected[term][doc].push_back(position);
      length += i == 0 || position != text->second[i - 1].second;
      ++tokens;
    }
    ASSERT_NE(norms, nullptr);
    ASSERT_EQ(norms->bytes()[doc], EncodeLength(with_norms ? length : 1));
  }
  if (present > 0) {
    EXPECT_EQ(segment.norms(field)->docs_with_field(), present);
  }
  ExpectTerms(segment.terms(field), expected, tokens);
}

void ExpectVectors(const Segment& segment, const std::vector<ModelDoc>& docs, const std::string& field) {
  SCOPED_TRACE(field);
  const VectorColumn* column = segment.vector(field);
  uint32_t row = 0;
  for (DocId doc = 0; doc < docs.size(); ++doc) {
    const auto vector = docs[doc].vectors.find(field);
    if (vector == docs[doc].vectors.end()) {
      if (column != nullptr) {
        ASSERT_EQ(column->row_of(doc), std::nullopt);
      }
      continue;
    }
    ASSERT_NE(column, nullptr);
    ASSERT_EQ(column->row_of(doc), row);
    ASSERT_EQ(column->doc_of(row), doc);
    const auto run = column->BorrowRun(row, 1);
    ASSERT_TRUE(run.ok());
    ASSERT_EQ(Bytes(run->bytes.bytes().begin(), run->bytes.bytes().end()), vector->second);
    const auto direct = column->input().Borrow(column->row_offset(row), column->row_bytes());
    ASSERT_EQ(std::memcmp(direct->data(), vector->second.data(), vector->second.size()), 0);
    ++row;
  }
  if (column == nullptr) return;
  EXPECT_EQ(column->count(), row);
  EXPECT_EQ(column->dense(), row == docs.size());
  EXPECT_EQ(column->row_of(static_cast<DocId>(docs.size())), std::nullopt);
  const auto magnitudes = column->magnitudes();
  ASSERT_TRUE(magnitudes.ok());
  EXPECT_EQ(magnitudes->size(), column->element() == mapping::ElementType::kBit ? 0 : row);
}

std::vector<std::set<std::string>> KeywordsOf(const std::vector<ModelDoc>& docs, const std::string& field) {
  std::vector<std::set<std::string>> values;
  for (const ModelDoc& doc : docs) {
    const auto found = doc.keywords.find(field);
    values.push_back(found == doc.keywords.end() ? std::set<std::string>() : found->second);
    if (field == kIgnoredField) values.back() = doc.ignored;
    if (field == kRoutingField && !doc.routing.empty()) values.back() = {doc.routing};
  }
  return values;
}

void ExpectKeywordTerms(const Segment& segment, const std::vector<ModelDoc>& docs, const std::string& field) {
  SCOPED_TRACE(field);
  std::map<std::string, Postings> expected;
  uint64_t tokens = 0;
  const auto values = KeywordsOf(docs, field);
  for (DocId doc = 0; doc < docs.size(); ++doc) {
    for (const std::string& value : values[doc]) expected[value][doc], ++tokens;
  }
  ExpectTerms(segment.terms(field), expected, tokens);
}

void ExpectDocuments(const Segment& segment, const std::vector<ModelDoc>& docs) {
  for (DocId doc = 0; doc < docs.size(); ++doc) {
    const auto source = segment.Source(doc);
    ASSERT_TRUE(source.ok()) << source.error().ToString();
    ASSERT_EQ(*source, docs[doc].source);
    ASSERT_EQ(*segment.Id(doc), docs[doc].id);
    const auto found = segment.FindId(docs[doc].id);
    ASSERT_TRUE(found.ok() && *found == doc) << "document " << doc;
  }
  EXPECT_EQ(*segment.FindId("no such id"), std::nullopt);
  EXPECT_EQ(*segment.FindId(""), std::nullopt);
  EXPECT_FALSE(segment.Source(segment.doc_count()).ok());
  EXPECT_FALSE(segment.Id(segment.doc_count()).ok());
}

}  // namespace

void ExpectHolds(const Segment& segment, const std::vector<ModelDoc>& docs) {
  ASSERT_EQ(segment.doc_count(), docs.size());
  const Status verified = segment.Verify();
  EXPECT_TRUE(verified.ok()) << verified.ToString();
  ExpectDocuments(segment, docs);
  for (const std::string field : {"count", "price", "_seq_no", "_primary_term", "_version"}) {
    std::vector<std::vector<int64_t>> expected;
    for (const ModelDoc& doc : docs) {
      expected.emplace_back();
      const auto values = doc.numerics.find(field);
      if (values != doc.numerics.end()) expected.back().assign(values->second.begin(), values->second.end());
      if (field == kSeqNoField) expected.back() = {doc.meta.seq_no};
      if (field == kPrimaryTermField) expected.back() = {doc.meta.primary_term};
      if (field == kVersionField) expected.back() = {doc.meta.version};
    }
    ExpectNumeric(segment, docs, field, expected);
  }
  for (const std::string field : {"tag", "stored_only", "_ignored", "_routing"})
    ExpectKeyword(segment, KeywordsOf(docs, field), field);
  for (const std::string field : {"tag", "search_only", "_ignored", "_routing"})
    ExpectKeywordTerms(segment, docs, field);
  EXPECT_EQ(segment.keyword("search_only"), nullptr);
  EXPECT_EQ(segment.terms("stored_only"), nullptr);
  ExpectText(segment, docs, "body", true);
  ExpectText(segment, docs, "plain", false);
  for (const std::string field : {"embedding", "bytes", "bits"}) ExpectVectors(segment, docs, field);
  EXPECT_EQ(segment.numeric("tag"), nullptr);
  EXPECT_EQ(segment.vector("missing"), nullptr);
}

}  // namespace tiercel::segment
