// kNN through whole requests. Expected answers are Elasticsearch 9.2's, or computed by hand from the formulas where it
// says so.
#include <gtest/gtest.h>

#include "tiercel/search/search_fixture.h"

namespace tiercel::search {
namespace {

constexpr std::string_view kShard =
    "search_phase_execution_exception: all shards failed <- query_shard_exception: failed to create query: ";

class KnnSearchTest : public testing::Test {
 protected:
  KnnSearchTest() {
    index_.AddSegment(
        {{"1", R"({"id":1,"title":"alpha bravo","l2":[1,2,3,4],"cos":[1,2,3,4],"dot":[1,0,0,0],"mip":[1,2,3,4],)"
               R"("byte":[1,2,3,4],"bcos":[1,2,3,4],"bit":[1,2]})"},
         {"2", R"({"id":2,"title":"alpha","l2":[0,0,1,0],"cos":[0.5,-1,0,0],"dot":[0,1,0,0],"mip":[-1,0,0,0],)"
               R"("byte":[-1,-2,3,-128],"bcos":[-1,-2,3,-128],"bit":[-1,127]})"}});
    index_.AddSegment({{"3", R"({"id":3,"title":"a title","l2":null})"}, {"4", R"({"id":4,"title":"charlie"})"}});
    searcher_.targets().push_back(index_.Target());
  }
  std::string Knn(const std::string& knn, const std::string& more = "") const {
    return searcher_.Ids(R"({"knn":{"k":2,"num_candidates":5,)" + knn + "}" + more + "}", true);
  }
  std::string KnnError(const std::string& knn) const {
    return searcher_.Error(R"({"knn":{"k":2,"num_candidates":5,)" + knn + "}}");
  }

  TestIndex index_{R"({"id":{"type":"long"},"title":{"type":"text"},
    "l2":{"type":"dense_vector","dims":4,"similarity":"l2_norm","index_options":{"type":"flat"}},
    "cos":{"type":"dense_vector","dims":4,"similarity":"cosine","index_options":{"type":"flat"}},
    "dot":{"type":"dense_vector","dims":4,"similarity":"dot_product","index_options":{"type":"flat"}},
    "mip":{"type":"dense_vector","dims":4,"similarity":"max_inner_product","index_options":{"type":"flat"}},
    "byte":{"type":"dense_vector","element_type":"byte","dims":4,"similarity":"dot_product","index_options":{"type":"flat"}},
    "bcos":{"type":"dense_vector","element_type":"byte","dims":4,"similarity":"cosine","index_options":{"type":"flat"}},
    "bit":{"type":"dense_vector","element_type":"bit","dims":16,"index_options":{"type":"flat"}},
    "no":{"type":"dense_vector","dims":4,"index":false},"nodims":{"type":"dense_vector"}})"};
  Searcher searcher_{{}};
};

TEST_F(KnnSearchTest, EverySimilarityScoresAsElasticsearch) {
  EXPECT_EQ(Knn(R"("field":"l2","query_vector":[1,2,3,4])"), "1:1.0 2:0.03846154");
  EXPECT_EQ(Knn(R"("field":"cos","query_vector":[1,2,3,4])").substr(0, 17), "1:1.0 2:0.3775255");
  EXPECT_EQ(Knn(R"("field":"dot","query_vector":[1,0,0,0])"), "1:1.0 2:0.5");
  EXPECT_EQ(Knn(R"("field":"mip","query_vector":[1,2,3,4])"), "1:31.0 2:0.5");
  EXPECT_EQ(Knn(R"("field":"byte","query_vector":[1,2,3,4])"), "1:0.5002289 2:0.49612427");
  EXPECT_EQ(Knn(R"("field":"bcos","query_vector":[1,2,3,4])").substr(0, 16), "1:1.0 2:0.137859");
  EXPECT_EQ(Knn(R"("field":"bit","query_vector":[1,2])"), "1:1.0 2:0.1875");
}

TEST_F(KnnSearchTest, QueryVectorsComeInSeveralForms) {
  EXPECT_EQ(Knn(R"("field":"bit","query_vector":"0102")"), "1:1.0 2:0.1875");
  EXPECT_EQ(Knn(R"("field":"byte","query_vector":"01020304")"), "1:0.5002289 2:0.49612427");
  EXPECT_EQ(Knn(R"("field":"l2","query_vector":"01020304")"), "1:1.0 2:0.03846154");
  EXPECT_EQ(Knn(R"("field":"l2","query_vector":["1","2","3","4"])"), "1:1.0 2:0.03846154");
  // Base64 came after 9.2: bytes as they are, floats big-endian.
  EXPECT_EQ(Knn(R"("field":"byte","query_vector":"AQIDBA==")"), "1:0.5002289 2:0.49612427");
  EXPECT_EQ(Knn(R"("field":"l2","query_vector":"P4AAAEAAAABAQAAAQIAAAA==")"), "1:1.0 2:0.03846154");
}

TEST_F(KnnSearchTest, FieldsWithoutVectorsHaveNoHits) {
  EXPECT_EQ(Knn(R"("field":"nosuch","query_vector":[1,2,3,4])"), "");
  EXPECT_EQ(Knn(R"("field":"nodims","query_vector":[1,2,3,4])"), "");
}

TEST_F(KnnSearchTest, BadVectorsAreTheShardsErrors) {
  const auto error = [&](const char* knn, const char* message) {
    EXPECT_EQ(KnnError(knn).substr(0, kShard.size() + strlen(message)), std::string(kShard) + message) << knn;
  };
  error(R"("field":"l2","query_vector":[1,2])",
        "The query vector has a different number of dimensions [2] than the document vectors [4].");
  error(R"("field":"l2","query_vector":[])",
        "The query vector has a different number of dimensions [0] than the document vectors [4].");
  error(R"("field":"bit","query_vector":[1,2,3,4])",
        "The query vector has a different number of dimensions [32] than the document vectors [16].");
  error(R"("field":"l2","query_vector":"P4AAAA==")",
        "The query vector has a different number of dimensions [1] than the document vectors [4].");
  error(R"("field":"cos","query_vector":[0,0,0,0])",
        "The [cosine] similarity does not support vectors with zero magnitude. Preview of invalid vector: [0.0, 0.0, "
        "0.0, 0.0]");
  error(R"("field":"bcos","query_vector":[0,0,0,0])",
        "The [cosine] similarity does not support vectors with zero magnitude.");
  error(R"("field":"dot","query_vector":[1,2,3,4])",
        "The [dot_product] similarity can only be used with unit-length vectors. Preview of invalid vector: [1.0, 2.0, "
        "3.0, 4.0]");
  error(R"("field":"byte","query_vector":[1,2,3,400])",
        "element_type [byte] vectors only support integers between [-128, 127] but found [400.0] at dim [3]; Preview");
  error(
      R"("field":"byte","query_vector":[1,2,3,1.5])",
      "element_type [byte] vectors only support non-decimal values but found decimal value [1.5] at dim [3]; Preview");
  error(R"("field":"cos","query_vector":["NaN",1,1,1])",
        "element_type [float] vectors do not support NaN values but found [NaN] at dim [0]; Preview");
  error(R"("field":"cos","query_vector":[1e39,1,1,1])",
        "element_type [float] vectors do not support infinite values but found [Infinity] at dim [0]; Preview");
  error(R"("field":"no","query_vector":[1,2,3,4])",
        "to perform knn search on field [no], its mapping must have [index] set to [true]");
  error(R"("field":"title","query_vector":[1,2,3,4])", "[knn] queries are only supported on [dense_vector] fields");
  error(R"("field":"l2","query_vector":[1,2,3,4],"filter":{"term":{"id":"abc"}})", "For input string: \"abc\"");
}

TEST_F(KnnSearchTest, FiltersCutOffsBoostsAndNames) {
  EXPECT_EQ(Knn(R"("field":"l2","query_vector":[1,2,3,4],"filter":[])"), "1:1.0 2:0.03846154");
  EXPECT_EQ(Knn(R"("field":"l2","query_vector":[1,2,3,4],"filter":{"term":{"id":2}})"), "2:0.03846154");
  EXPECT_EQ(Knn(R"("field":"l2","query_vector":[1,2,3,4],"filter":[{"term":{"id":2}},{"match_all":{}}])"),
            "2:0.03846154");
  EXPECT_EQ(Knn(R"("field":"l2","query_vector":[1,2,3,4],"similarity":9,"filter":{"term":{"id":4}})"), "");
  EXPECT_EQ(Knn(R"("field":"l2","query_vector":[1,2,3,4],"similarity":2)"), "1:1.0");
  EXPECT_EQ(Knn(R"("field":"l2","query_vector":[1,2,3,4],"boost":2)"), "1:2.0 2:0.07692308");
  EXPECT_NE(searcher_.Hits(R"({"knn":{"field":"l2","query_vector":[1,2,3,4],"k":1,"num_candidates":1,"_name":"n"}})")
                .find(R"("matched_queries":["n"])"),
            std::string::npos);
}

TEST_F(KnnSearchTest, SizeTrimsWhatKFound) {
  EXPECT_EQ(
      searcher_.Hits(
          R"({"_source":false,"size":1,"knn":{"field":"l2","query_vector":[1,2,3,4],"k":2,"num_candidates":5}})"),
      R"({"total":{"value":2,"relation":"eq"},"max_score":1.0,"hits":[{"_index":"index","_id":"1","_score":1.0}]})");
  EXPECT_EQ(Knn(R"("field":"l2","query_vector":[1,2,3,4])", R"(,"from":1)"), "2:0.03846154");
  EXPECT_EQ(Knn(R"("field":"l2","query_vector":[1,2,3,4])", R"(,"min_score":0.5)"), "1:1.0");
  EXPECT_EQ(Knn(R"("field":"l2","query_vector":[1,2,3,4])", R"(,"post_filter":{"term":{"id":2}})"), "2:0.03846154");
}

TEST_F(KnnSearchTest, SeveralClausesAndAQueryAddUp) {
  EXPECT_EQ(searcher_.Ids(R"({"knn":[{"field":"l2","query_vector":[1,2,3,4],"k":2,"num_candidates":5},
                                     {"field":"mip","query_vector":[1,2,3,4],"k":1,"num_candidates":5}]})",
                          true),
            "1:32.0 2:0.03846154");
  EXPECT_EQ(searcher_.Ids(
                R"({"query":{"term":{"id":4}},"knn":{"field":"l2","query_vector":[1,2,3,4],"k":1,"num_candidates":5}})",
                true),
            "1:1.0 4:1.0");
}

TEST_F(KnnSearchTest, AsAQueryOverAFlatFieldEveryVectorMatches) {
  const std::string knn = R"({"knn":{"field":"l2","query_vector":[1,2,3,4],"k":1,"num_candidates":2,"boost":3)";
  EXPECT_EQ(searcher_.Ids(R"({"query":)" + knn + "}}}", true), "1:3.0 2:0.11538462");
  EXPECT_EQ(searcher_.Ids(R"({"query":)" + knn + R"(,"similarity":2}}})", true), "1:3.0");
  EXPECT_EQ(searcher_.Ids(R"({"query":{"bool":{"must":)" + knn + R"(}},"filter":{"term":{"id":2}}}}})", true),
            "2:0.11538462");
  EXPECT_EQ(searcher_.Ids(R"({"query":{"bool":{"must_not":)" + knn + "}}}}}", true), "3:0.0 4:0.0");
  EXPECT_TRUE(searcher_.Error(R"({"query":{"knn":{"field":"l2","query_vector":[1,2],"k":1}}})").starts_with(kShard));
}

TEST_F(KnnSearchTest, UnderAFilterAFlatFieldLetsDocumentsWithoutAVectorIn) {
  const std::string knn =
      R"({"field":"l2","query_vector":[1,2,3,4],"k":5,"num_candidates":5,"filter":{"terms":{"id":[2,3]}})";
  EXPECT_EQ(searcher_.Ids(R"({"query":{"knn":)" + knn + "}}}", true), "2:0.03846154 3:0.0");
  EXPECT_EQ(searcher_.Ids(R"({"query":{"knn":)" + knn + R"(,"similarity":0}}})", true), "");
  EXPECT_EQ(searcher_.Ids(R"({"knn":)" + knn + "}}", true), "2:0.03846154 3:0.0");
  EXPECT_EQ(searcher_.Ids(R"({"knn":)" + knn + R"(,"similarity":100}})", true), "2:0.03846154");
}

TEST_F(KnnSearchTest, Retrievers) {
  EXPECT_EQ(
      searcher_.Ids(
          R"({"retriever":{"knn":{"field":"l2","query_vector":[1,2,3,4],"k":2,"num_candidates":5,"filter":{"term":{"id":2}}}}})",
          true),
      "2:0.03846154");
  EXPECT_EQ(searcher_.Ids(R"({"retriever":{"standard":{"filter":[{"term":{"id":1}}]}}})", true), "1:0.0");
  EXPECT_EQ(searcher_.Ids(R"({"retriever":{"standard":{"query":{"match_all":{}},"filter":{"term":{"id":1}}}}})", true),
            "1:1.0");
  EXPECT_EQ(searcher_.Ids(R"({"retriever":{"standard":{"sort":["id"],"search_after":[2]}}})"), "3 4");
}

TEST_F(KnnSearchTest, FusionAddsReciprocalRanks) {
  // By hand: the query ranks 4, 3, 2, 1; kNN ranks 1, 2. 1/61 + 1/64, 1/62 + 1/63, 1/61, 1/62.
  const std::string retrievers = R"("retrievers":[{"standard":{"query":{"match_all":{}},"sort":[{"id":"desc"}]}},
    {"knn":{"field":"l2","query_vector":[1,2,3,4],"k":2,"num_candidates":5}}])";
  EXPECT_EQ(searcher_.Ids(R"({"retriever":{"rrf":{)" + retrievers + "}}}"), "1 2 4 3");
  EXPECT_EQ(
      searcher_.Hits(R"({"size":1,"_source":false,"retriever":{"rrf":{)" + retrievers +
                     R"(,"rank_constant":1,"rank_window_size":3}}})"),
      // 1: 1/2; 2: 1/4 + 1/3; 3: 1/3; 4: 1/2 in a window of three.
      R"({"total":{"value":3,"relation":"eq"},"max_score":0.5833334,"hits":[{"_index":"index","_id":"2","_score":0.5833334}]})");
  EXPECT_EQ(searcher_.Ids(R"({"retriever":{"rrf":{)" + retrievers + R"(,"filter":{"terms":{"id":[2,3]}}}}})"), "2 3");
  const Result<std::string> response =
      searcher_.Run(R"({"size":1,"aggs":{"n":{"value_count":{"field":"id"}}},"retriever":{"rrf":{)" + retrievers +
                    R"(,"rank_window_size":1}}})");
  ASSERT_TRUE(response.ok()) << response.status().ToString();
  EXPECT_NE(response->find(R"("aggregations":{"n":{"value":4}})"), std::string::npos) << *response;
}

// The reported cases of other engines (numbers as in the list of cases the project keeps).

TEST(KnnCasesTest, Case4AFilteredAliasFiltersFirst) {
  TestIndex index(R"({"k":{"type":"keyword"},"v":{"type":"dense_vector","dims":4,"similarity":"l2_norm"}})");
  index.AddSegment({{"1", R"({"k":"v1","v":[230,300.33,-34.8988,15.555]})"},
                    {"2", R"({"k":"v1","v":[0.5,0.5,0.5,-1]})"},
                    {"3", R"({"k":"v2","v":[0.5,0.5,0.5,0.5]})"},
                    {"4", R"({"k":"v2","v":[0.5,0.5,0.5,0]})"}});
  Searcher searcher({index.Target()});
  const char* request = R"({"knn":{"field":"v","query_vector":[0.5,0.5,0.5,0.5],"k":2,"num_candidates":2}})";
  EXPECT_EQ(searcher.Ids(request, true), "3:1.0 4:0.8");
  searcher.targets()[0].alias_filter_json = R"({"term":{"k":"v1"}})";
  EXPECT_EQ(searcher.Ids(request, true).substr(0, 15), "2:0.30769232 1:");
}

TEST(KnnCasesTest, Case7ScoreThresholdsOfInnerProducts) {
  TestIndex index(R"({"v":{"type":"dense_vector","dims":2,"similarity":"max_inner_product"}})");
  index.AddSegment({{"1", R"({"v":[1,0]})"},
                    {"2", R"({"v":[0.8,0.1]})"},
                    {"3", R"({"v":[0.5,0.5]})"},
                    {"4", R"({"v":[0,1]})"},
                    {"5", R"({"v":[-0.5,0]})"}});
  const Searcher searcher({index.Target()});
  const std::string knn = R"("knn":{"field":"v","query_vector":[1,0],"k":5,"num_candidates":5)";
  EXPECT_EQ(searcher.Ids("{" + knn + "}}", true), "1:2.0 2:1.8 3:1.5 4:1.0 5:0.6666667");
  EXPECT_EQ(searcher.Ids("{" + knn + R"(},"min_score":1.4})"), "1 2 3");
  EXPECT_EQ(searcher.Ids("{" + knn + R"(,"similarity":0.4}})"), "1 2 3");
}

TEST(KnnCasesTest, Case8AFilterChangesNoScore) {
  for (const char* type : {"flat", "hnsw", "int8_hnsw"}) {
    TestIndex index(
        R"({"n":{"type":"long"},"v":{"type":"dense_vector","dims":2,"similarity":"max_inner_product","index_options":{"type":")" +
        std::string(type) + R"("}}})");
    index.AddSegment({{"1", R"({"n":1,"v":[1,0]})"}, {"2", R"({"n":2,"v":[-1,0]})"}});
    const Searcher searcher({index.Target()});
    const std::string knn = R"({"knn":{"field":"v","query_vector":[1,0],"k":2,"num_candidates":2)";
    EXPECT_EQ(searcher.Ids(knn + "}}", true), "1:2.0 2:0.5");
    EXPECT_EQ(searcher.Ids(knn + R"(,"filter":{"match_all":{}}}})", true), "1:2.0 2:0.5");
    EXPECT_EQ(searcher.Ids(knn + R"(,"filter":{"term":{"n":1}}}})", true), "1:2.0");
    EXPECT_EQ(searcher.Ids(knn + R"(,"filter":{"term":{"n":2}}}})", true), "2:0.5");
  }
}

TEST(KnnCasesTest, Case6ZeroVectorsAreRefusedWithCosine) {
  TestIndex index(R"({"v":{"type":"dense_vector","dims":3,"similarity":"cosine"}})");
  index.AddSegment({{"1", R"({"v":[3,0,6]})"}, {"2", R"({"v":[0,1,0]})"}});
  const Searcher searcher({index.Target()});
  EXPECT_NE(searcher.Error(R"({"knn":{"field":"v","query_vector":[0,0,0],"k":2,"num_candidates":2}})")
                .find("does not support vectors with zero magnitude"),
            std::string::npos);
  EXPECT_EQ(searcher.Ids(R"({"knn":{"field":"v","query_vector":[1,0,0],"k":2,"num_candidates":2}})", true).substr(0, 8),
            "1:0.7236");
}

TEST(KnnCasesTest, KIsGlobalOverShardsForTheSectionAndPerShardForTheQuery) {
  TestIndex index(R"({"v":{"type":"dense_vector","dims":1,"similarity":"l2_norm"}})");
  index.AddSegment({{"1", R"({"v":[1]})"}, {"2", R"({"v":[2]})"}});
  index.NextShard();
  index.AddSegment({{"3", R"({"v":[3]})"}, {"4", R"({"v":[4]})"}});
  const Searcher searcher({index.Target()});
  EXPECT_EQ(searcher.Ids(R"({"knn":{"field":"v","query_vector":[0],"k":1,"num_candidates":2}})"), "1");
  EXPECT_EQ(searcher.Ids(R"({"query":{"knn":{"field":"v","query_vector":[0],"k":1,"num_candidates":2}}})"), "1 3");
}

}  // namespace
}  // namespace tiercel::search
