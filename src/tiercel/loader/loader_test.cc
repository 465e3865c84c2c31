#include "tiercel/loader/loader.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace tiercel::loader {
namespace {

class LoaderTest : public testing::Test {
 protected:
  LoaderTest() : folder_(std::filesystem::temp_directory_path() / ("loader_test." + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~LoaderTest() override { std::filesystem::remove_all(folder_); }

  std::string File(const std::string& name, const std::string& content) const {
    const std::string path = folder_ / name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  // Every record of a file, or the error as the last one.
  static std::vector<std::string> Records(const std::string& path, InputFormat format = InputFormat::kAuto,
                                          uint64_t record_max = 1 << 20) {
    std::vector<std::string> records;
    auto source = ByteSource::Open(path);
    if (!source.ok()) return {source.error().message()};
    RecordReader reader(std::move(source).value(), format, record_max);
    while (true) {
      auto record = reader.Next();
      if (!record.ok()) {
        records.push_back("error: " + record.error().message());
        return records;
      }
      if (!*record) return records;
      records.push_back(**record);
    }
  }
  static std::string Gzip(const std::string& text) {
    std::string out(compressBound(text.size()) + 32, '\0');
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
  }
  static std::string Zstd(const std::string& text) {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
  }
  std::filesystem::path folder_;
};

TEST_F(LoaderTest, ReadsNdjsonPlainGzipAndZstd) {
  const std::string text = "{\"a\":1}\n\n  \r\n{\"a\":2}\r\n{\"a\":3}";
  const std::vector<std::string> want = {"{\"a\":1}", "{\"a\":2}", "{\"a\":3}"};
  EXPECT_EQ(Records(File("a", text)), want);
  EXPECT_EQ(Records(File("b", Gzip(text))), want);
  EXPECT_EQ(Records(File("c", Gzip("{\"a\":1}\n") + Gzip("{\"a\":2}\n{\"a\":3}\n"))), want) << "two gzip members";
  EXPECT_EQ(Records(File("d", Zstd(text))), want);
  EXPECT_EQ(Records(File("e", "\xef\xbb\xbf" + text)), want) << "byte order mark";
}

TEST_F(LoaderTest, SaysWhenCompressedInputIsCutOffOrBroken) {
  std::string big;
  for (int i = 0; i < 5000; ++i) big += "{\"number\":" + std::to_string(i * 7919 % 5000) + "}\n";
  const std::string gzip = Gzip(big), zstd = Zstd(big);
  EXPECT_NE(Records(File("a", gzip.substr(0, gzip.size() / 2))).back().find("gzip data is cut off"), std::string::npos);
  EXPECT_NE(Records(File("b", zstd.substr(0, zstd.size() / 2))).back().find("zstd data is cut off"), std::string::npos);
  std::string broken = gzip;
  broken[broken.size() / 2] = static_cast<char>(~broken[broken.size() / 2]);
  EXPECT_NE(Records(File("c", broken)).back().find("error:"), std::string::npos);
  EXPECT_NE(Records("/nonexistent/file").back().find("No such file"), std::string::npos);
}

TEST_F(LoaderTest, ReadsJsonArraysOnOneLineEach) {
  EXPECT_EQ(Records(File("a", " [ {\"a\":\n [1,\n2]} ,{\"b\":\"]}\\\"\"}\n]")),
            (std::vector<std::string>{"{\"a\": [1,2]}", "{\"b\":\"]}\\\"\"}"}));
  EXPECT_TRUE(Records(File("b", "[]")).empty());
  EXPECT_NE(Records(File("c", "[{\"a\":1}")).back().find("cut off"), std::string::npos);
  EXPECT_NE(Records(File("d", "[1]")).back().find("expected an object but found '1'"), std::string::npos);
}

TEST_F(LoaderTest, ReadsCsv) {
  EXPECT_EQ(Records(File("a", "name,n,ok,note\r\n\"Smith, \"\"J\"\"\",1.50,true,\nx,007,no,\"two\nlines\"\n")),
            (std::vector<std::string>{R"({"name":"Smith, \"J\"","n":1.50,"ok":true})",
                                      R"({"name":"x","n":"007","ok":"no","note":"two\nlines"})"}));
  EXPECT_NE(Records(File("b", "a\n1,2\n")).back().find("2 cells under 1 column names"), std::string::npos);
  EXPECT_NE(Records(File("c", "a\n\"x")).back().find("not closed"), std::string::npos);
}

TEST_F(LoaderTest, BoundsTheSizeOfARecord) {
  EXPECT_NE(Records(File("a", "{\"a\":\"" + std::string(5000, 'x') + "\"}\n"), InputFormat::kAuto, 1000)
                .back()
                .find("longer than 1000"),
            std::string::npos);
  EXPECT_NE(Records(File("b", "[{\"a\":\"" + std::string(5000, 'x') + "\"}]"), InputFormat::kAuto, 1000)
                .back()
                .find("longer than 1000"),
            std::string::npos);
}

TEST_F(LoaderTest, AddsVectorsRowByRow) {
  const float rows[] = {0.5f, -1.0f, 0.1f, 2.0f};
  const auto spec = VectorColumnSpec::Parse(
      "v=" + File("rows.f32", std::string(reinterpret_cast<const char*>(rows), sizeof rows)) + ":2");
  ASSERT_TRUE(spec.ok());
  auto file = VectorFile::Open(*spec);
  ASSERT_TRUE(file.ok());
  std::string one = "{\"a\":1}", two = "{ }", three = "{}";
  EXPECT_TRUE(file->AddTo(one).ok());
  EXPECT_TRUE(file->AddTo(two).ok());
  EXPECT_EQ(one, "{\"a\":1,\"v\":[0.5,-1.0]}");
  EXPECT_EQ(two, "{ \"v\":[0.1,2.0]}");
  EXPECT_NE(file->AddTo(three).message().find("only 2 rows"), std::string::npos);
  EXPECT_FALSE(VectorColumnSpec::Parse("v=rows.f32").ok());
  EXPECT_FALSE(VectorColumnSpec::Parse("rows.f32:2").ok());
  EXPECT_FALSE(VectorColumnSpec::Parse("v=rows.f32:0").ok());
}

TEST(HalfToFloatTest, ConvertsEveryKindOfNumber) {
  EXPECT_EQ(HalfToFloat(0x3c00), 1.0f);
  EXPECT_EQ(HalfToFloat(0xc000), -2.0f);
  EXPECT_EQ(HalfToFloat(0x0001), 0x1p-24f);
  EXPECT_EQ(HalfToFloat(0x7bff), 65504.0f);
  EXPECT_EQ(HalfToFloat(0x3555), 0.333251953125f);
}

TEST(ProgressTest, RendersRateAndTimeLeft) {
  FakeClock clock;
  Progress progress(Progress::Style::kNone, stderr, clock);
  clock.AdvanceMs(10'000);
  EXPECT_EQ(progress.Render({25'000, 40'000'000, 0, 25, 100}, true),
            "[======>                 ]  25.0 %  25,000 docs  2,500 docs/s  4.0 MB/s  ETA 30 s");
  EXPECT_EQ(progress.Render({1'000, 0, 3, 0, 0}, false), "1,000 docs  100 docs/s  0.0 MB/s  3 failed");
}

TEST_F(LoaderTest, AnUnreachableEndpointIsReportedNotRetriedForEver) {
  LoadOptions options;
  options.bulk.endpoint.url = "http://127.0.0.1:1";
  options.bulk.index = "x";
  options.input = File("a", "{}\n");
  options.progress = Progress::Style::kNone;
  const auto report = Load(options);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code(), Code::kUnavailable);
}

}  // namespace
}  // namespace tiercel::loader
