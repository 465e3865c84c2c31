#include "tiercel/search/vector_query.h"

#include <gtest/gtest.h>

#include "tiercel/search/vector_text.h"

namespace tiercel::search {
namespace {

using mapping::ElementType;
using mapping::Similarity;

TEST(VectorTextTest, ReadsHexAndBase64) {
  EXPECT_EQ(DecodeHex("01fF7a"), std::string("\x01\xff\x7a"));
  EXPECT_EQ(DecodeHex("012"), std::nullopt);
  EXPECT_EQ(DecodeHex("zz"), std::nullopt);
  EXPECT_EQ(DecodeBase64("AQIDBA=="), std::string("\x01\x02\x03\x04"));
  EXPECT_EQ(DecodeBase64("PczMzT5MzM0+mZma")->size(), 12u);
  EXPECT_EQ(DecodeBase64("A"), std::nullopt);
  EXPECT_EQ(DecodeBase64("A===B"), std::nullopt);
}

float Score(ElementType element, Similarity similarity, uint32_t dims, float raw) {
  VectorQuery query;
  query.element = element;
  query.similarity = similarity;
  query.dims = dims;
  return query.Score(raw);
}

TEST(VectorQueryTest, ScoresAreElasticsearchs) {
  EXPECT_FLOAT_EQ(Score(ElementType::kFloat, Similarity::kL2Norm, 4, 25), 0.03846154f);
  EXPECT_FLOAT_EQ(Score(ElementType::kFloat, Similarity::kCosine, 4, 1), 1.0f);
  EXPECT_FLOAT_EQ(Score(ElementType::kFloat, Similarity::kCosine, 4, -1.0000001f), 0.0f);
  EXPECT_FLOAT_EQ(Score(ElementType::kFloat, Similarity::kDotProduct, 4, 0), 0.5f);
  EXPECT_FLOAT_EQ(Score(ElementType::kByte, Similarity::kDotProduct, 4, 30), 0.5002289f);
  EXPECT_FLOAT_EQ(Score(ElementType::kFloat, Similarity::kMaxInnerProduct, 4, 30), 31.0f);
  EXPECT_FLOAT_EQ(Score(ElementType::kFloat, Similarity::kMaxInnerProduct, 4, -1), 0.5f);
  EXPECT_FLOAT_EQ(Score(ElementType::kBit, Similarity::kL2Norm, 16, 13), 0.1875f);
}

TEST(VectorQueryTest, CutOffsAreGivenInTheRawMeasure) {
  VectorQuery query;
  query.dims = 2;
  query.similarity = Similarity::kL2Norm;
  EXPECT_FLOAT_EQ(query.ScoreOfCutOff(2), 0.2f);
  query.similarity = Similarity::kMaxInnerProduct;
  EXPECT_FLOAT_EQ(query.ScoreOfCutOff(0.4f), 1.4f);
}

}  // namespace
}  // namespace tiercel::search
