#include "tiercel/server/http_compression.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "tiercel/base/check.h"
#include "tiercel/server/http_message.h"

namespace tiercel::server {
namespace {

constexpr int kGzipOrZlib = 15 + 32;  // window bits: 15, and detect the wrapper
constexpr int kGzip = 15 + 16;
constexpr int kCompressionLevel = 3;  // Elasticsearch's http.compression_level
constexpr size_t kStep = 64 << 10;

class Inflater {
 public:
  explicit Inflater(std::string_view body) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
    stream_.avail_in = static_cast<uInt>(body.size());
    TIERCEL_CHECK(inflateInit2(&stream_, kGzipOrZlib) == Z_OK, "inflateInit2");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Appends up to kStep bytes; true at the end of the last member.
  Result<bool> Step(std::string& out) {
    const size_t before = out.size();
    out.resize(before + kStep);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream_.avail_out = static_cast<uInt>(kStep);
    const int code = inflate(&stream_, Z_NO_FLUSH);
    out.resize(before + kStep - stream_.avail_out);
    if (code == Z_STREAM_END) {
      if (stream_.avail_in == 0) return true;
      if (inflateReset(&stream_) == Z_OK) return false;  // gzip allows several members one after another
    }
    if (code == Z_OK && out.size() > before) return false;
    if (code == Z_OK && stream_.avail_in > 0) return false;
    return InvalidArgument("the request body is not valid gzip data: " +
                           std::string(stream_.msg ? stream_.msg : "it ends too early"));
  }

 private:
  z_stream stream_{};
};

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Whether ";q=0", ";q=0.0", ... forbids the coding.
bool ZeroQuality(std::string_view parameters) {
  const size_t at = parameters.find("q=");
  if (at == std::string_view::npos) return false;
  const std::string_view value = Trim(parameters.substr(at + 2));
  return !value.empty() && value.find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

Result<std::string> Decompress(std::string_view body, uint64_t size_max, runtime::CircuitBreaker* breaker,
                               runtime::MemoryCharge& charge) {
  if (body.size() > std::numeric_limits<uInt>::max()) return InvalidArgument("the compressed request body is too long");
  Inflater inflater(body);
  std::string out;
  uint64_t charged = 0;
  for (bool done = false; !done;) {
    if (breaker != nullptr && out.size() + kStep > charged) {
      const uint64_t more = std::max<uint64_t>(kStep, out.size());  // doubles, as the string does
      if (charge.bytes() == 0) {
        TIERCEL_TRY_ASSIGN(charge, breaker->Charge(more, "<http_request>"));
      } else {
        TIERCEL_TRY(charge.Grow(more, "<http_request>"));
      }
      charged += more;
    }
    TIERCEL_TRY_ASSIGN(done, inflater.Step(out));
    if (out.size() > size_max) {
      return InvalidArgument("entity content is too long: more than [" + std::to_string(size_max) +
                             "] bytes once decompressed")
          .WithType("content_too_long_exception");
    }
  }
  return out;
}

std::string GzipCompress(std::string_view body) {
  z_stream stream{};
  TIERCEL_CHECK(deflateInit2(&stream, kCompressionLevel, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) == Z_OK,
                "deflateInit2");
  std::string out;
  out.resize(deflateBound(&stream, static_cast<uLong>(body.size())));
  size_t in_done = 0, out_done = 0;
  int code = Z_OK;
  while (code == Z_OK) {  // zlib counts in 32 bits: long bodies go through in pieces
    const auto in = static_cast<uInt>(std::min<size_t>(body.size() - in_done, 1u << 30));
    const auto room = static_cast<uInt>(std::min<size_t>(out.size() - out_done, 1u << 30));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data() + in_done));
    stream.avail_in = in;
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + out_done);
    stream.avail_out = room;
    code = deflate(&stream, in_done + in == body.size() ? Z_FINISH : Z_NO_FLUSH);
    in_done += in - stream.avail_in;
    out_done += room - stream.avail_out;
  }
  deflateEnd(&stream);
  TIERCEL_CHECK(code == Z_STREAM_END, "deflate");
  out.resize(out_done);
  return out;
}

bool AcceptsGzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    const size_t comma = accept_encoding.find(',');
    const std::string_view item = accept_encoding.substr(0, comma);
    accept_encoding = comma == std::string_view::npos ? std::string_view() : accept_encoding.substr(comma + 1);
    const size_t semicolon = item.find(';');
    const std::string_view coding = Trim(item.substr(0, semicolon));
    if (EqualsIgnoringCase(coding, "gzip") || coding == "*") {
      return semicolon == std::string_view::npos || !ZeroQuality(item.substr(semicolon));
    }
  }
  return false;
}

}  // namespace tiercel::server
