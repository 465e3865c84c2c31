#include "tiercel/server/config.h"

#include <gtest/gtest.h>

#include "tiercel/server/node_identity.h"
#include "tiercel/store/memory_store.h"

namespace tiercel::server {
namespace {

TEST(ConfigTest, ReadsNestedAndDottedYaml) {
  ConfigBuilder builder;
  const Status status = builder.ReadYaml(
      "http:\n  port: 9300\n  timeout:\n    idle: 20m\nhttp.max_content_length: 10mb\nnode.name: a\n", "t.yml");
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(builder.config().http.port, 9300);
  EXPECT_EQ(builder.config().http.idle_timeout_ms, 20 * 60'000);
  EXPECT_EQ(builder.config().http.limits.content_length_max, 10u << 20);
  EXPECT_EQ(builder.config().node_name, "a");
  EXPECT_TRUE(builder.ReadYaml("", "empty.yml").ok());
}

TEST(ConfigTest, LaterSourcesWin) {
  ConfigBuilder builder;
  ASSERT_TRUE(builder.ReadYaml("http.port: 1\nnode.name: file\ncluster.name: file", "t.yml").ok());
  const char* const environment[] = {"PATH=/bin", "TIERCEL_HTTP_PORT=2", "TIERCEL_NODE_NAME=env", "TIERCEL_OTHER=1",
                                     nullptr};
  ASSERT_TRUE(builder.ReadEnvironment(environment).ok());
  ASSERT_TRUE(builder.Set("http.port", "3", "--port").ok());
  EXPECT_EQ(builder.config().http.port, 3);
  EXPECT_EQ(builder.config().node_name, "env");
  EXPECT_EQ(builder.config().cluster_name, "file");
  EXPECT_EQ(builder.unknown_variables(), std::vector<std::string>{"TIERCEL_OTHER"});
}

TEST(ConfigTest, NamesThePlaceOfWhatIsWrong) {
  ConfigBuilder builder;
  EXPECT_EQ(builder.ReadYaml("node.name: a\nhttp:\n  prot: 1\n", "t.yml").message(),
            "t.yml:3: unknown setting [http.prot], did you mean [http.port]?");
  EXPECT_EQ(builder.ReadYaml("http.port: many\n", "t.yml").message(),
            "t.yml:1: bad value [many] for [http.port]: expected a whole number from 0 to 65535");
  EXPECT_EQ(builder.ReadYaml("a: [1\nb: 2\n", "t.yml").code(), Code::kInvalidArgument);
  EXPECT_EQ(builder.ReadYaml("- a\n", "t.yml").message(), "t.yml:1: expected settings");
  const char* const environment[] = {"TIERCEL_HTTP_TIMEOUT_IDLE=soon", nullptr};
  EXPECT_EQ(
      builder.ReadEnvironment(environment).message(),
      "TIERCEL_HTTP_TIMEOUT_IDLE: bad value [soon] for [http.timeout.idle]: expected a time such as 500ms, 30s or 15m");
  EXPECT_EQ(builder.ReadFile("/nosuch/file").code(), Code::kNotFound);
}

TEST(ConfigTest, ReadsSizes) {
  EXPECT_EQ(*ParseByteSize("100MB"), 100ull << 20);
  EXPECT_EQ(*ParseByteSize("64k"), 64ull << 10);
  EXPECT_EQ(*ParseByteSize("12"), 12u);
  for (const char* bad : {"", "mb", "-1", "1.5gb", "99999999999tb", "1 mb"})
    EXPECT_FALSE(ParseByteSize(bad).ok()) << bad;
}

TEST(NodeIdentityTest, OutlivesTheProcessAndRefusesDamage) {
  store::MemoryStore store;
  Random random(1);
  const auto first = NodeIdentity::Load(store, random);
  ASSERT_TRUE(first.ok()) << first.error().ToString();
  EXPECT_NE(first->node_id, first->cluster_uuid);
  const auto again = NodeIdentity::Load(store, random);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->node_id, first->node_id);
  EXPECT_EQ(again->cluster_uuid, first->cluster_uuid);
  for (const char* damaged : {"", "one line\n", "\nb\n", "a\n\n", "a\nb", "a\nb\nc\n"}) {
    store::MemoryStore other;
    ASSERT_TRUE(other.Put("node/identity", AsBytes(damaged)).ok());
    EXPECT_EQ(NodeIdentity::Load(other, random).status().code(), Code::kCorruption) << damaged;
  }
}

}  // namespace
}  // namespace tiercel::server
