#include "tiercel/loader/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace tiercel::loader {
namespace {

constexpr size_t kBufferBytes = 256 << 10;

// The raw file, with its first bytes put back after they were looked at.
class File {
 public:
  File(int fd, std::string name) : fd_(fd), name_(std::move(name)), buffer_(kBufferBytes) {
    struct stat info;
    if (::fstat(fd_, &info) == 0 && S_ISREG(info.st_mode)) total_ = static_cast<uint64_t>(info.st_size);
  }
  ~File() {
    if (fd_ > 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // The bytes that are buffered; reads more when there are none. Empty at the end.
  Result<std::span<const char>> Fill() {
    if (begin_ == end_) {
      const ssize_t got = ReadSome(buffer_.data(), buffer_.size());
      if (got < 0) return Unavailable(name_ + ": " + std::strerror(errno));
      begin_ = 0;
      end_ = static_cast<size_t>(got);
      consumed_ += end_;
    }
    return std::span<const char>(buffer_.data() + begin_, end_ - begin_);
  }
  void Take(size_t bytes) { begin_ += bytes; }

  const std::string& name() const { return name_; }
  uint64_t consumed() const { return consumed_ - (end_ - begin_); }
  uint64_t total() const { return total_; }

 private:
  ssize_t ReadSome(char* to, size_t bytes) {
    ssize_t got;
    do {
      got = ::read(fd_, to, bytes);
    } while (got < 0 && errno == EINTR);
    return got;
  }

  int fd_;
  std::string name_;
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0;
  uint64_t consumed_ = 0, total_ = 0;
};

class PlainSource final : public ByteSource {
 public:
  explicit PlainSource(std::unique_ptr<File> file) : file_(std::move(file)) {}
  Result<size_t> Read(std::span<char> out) override {
    TIERCEL_TRY_ASSIGN(const std::span<const char> bytes, file_->Fill());
    const size_t n = std::min(bytes.size(), out.size());
    std::memcpy(out.data(), bytes.data(), n);
    file_->Take(n);
    return n;
  }
  uint64_t consumed_bytes() const override { return file_->consumed(); }
  uint64_t total_bytes() const override { return file_->total(); }

 private:
  std::unique_ptr<File> file_;
};

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<File> file) : file_(std::move(file)) {
    std::memset(&stream_, 0, sizeof stream_);
    TIERCEL_CHECK(::inflateInit2(&stream_, 15 + 16) == Z_OK);
  }
  ~GzipSource() override { ::inflateEnd(&stream_); }

  Result<size_t> Read(std::span<char> out) override {
    while (true) {
      TIERCEL_TRY_ASSIGN(const std::span<const char> bytes, file_->Fill());
      if (bytes.empty()) {
        if (inside_member_) return Corruption(file_->name() + ": gzip data is cut off");
        return size_t{0};
      }
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream_.avail_in = static_cast<uInt>(bytes.size());
      stream_.next_out = reinterpret_cast<Bytef*>(out.data());
      stream_.avail_out = static_cast<uInt>(out.size());
      const int code = ::inflate(&stream_, Z_NO_FLUSH);
      file_->Take(bytes.size() - stream_.avail_in);
      if (code != Z_OK && code != Z_STREAM_END) {
        return Corruption(file_->name() + ": broken gzip data" + (stream_.msg ? std::string(": ") + stream_.msg : ""));
      }
      inside_member_ = code != Z_STREAM_END;
      if (code == Z_STREAM_END) ::inflateReset(&stream_);  // a further member may follow
      if (const size_t n = out.size() - stream_.avail_out; n > 0) return n;
    }
  }
  uint64_t consumed_bytes() const override { return file_->consumed(); }
  uint64_t total_bytes() const override { return file_->total(); }

 private:
  std::unique_ptr<File> file_;
  z_stream stream_;
  bool inside_member_ = true;
};

class ZstdSource final : public ByteSource {
 public:
  explicit ZstdSource(std::unique_ptr<File> file) : file_(std::move(file)), stream_(ZSTD_createDStream()) {
    TIERCEL_CHECK(stream_ != nullptr);
  }
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }

  Result<size_t> Read(std::span<char> out) override {
    while (true) {
      TIERCEL_TRY_ASSIGN(const std::span<const char> bytes, file_->Fill());
      ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
      ZSTD_outBuffer to{out.data(), out.size(), 0};
      const size_t left = ZSTD_decompressStream(stream_, &to, &in);
      file_->Take(in.pos);
      if (ZSTD_isError(left)) return Corruption(file_->name() + ": broken zstd data: " + ZSTD_getErrorName(left));
      if (to.pos > 0) {
        left_ = left;
        return to.pos;
      }
      if (bytes.empty()) {
        if (left_ != 0) return Corruption(file_->name() + ": zstd data is cut off");
        return size_t{0};
      }
      left_ = left;
    }
  }
  uint64_t consumed_bytes() const override { return file_->consumed(); }
  uint64_t total_bytes() const override { return file_->total(); }

 private:
  std::unique_ptr<File> file_;
  ZSTD_DStream* stream_;
  size_t left_ = 0;
};

bool StartsWith(std::span<const char> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

}  // namespace

Result<std::unique_ptr<ByteSource>> ByteSource::Open(const std::string& path) {
  int fd = 0;
  if (path != "-") {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
      const std::string why = path + ": " + std::strerror(errno);
      return errno == ENOENT ? NotFound(why) : Unavailable(why);
    }
  }
  auto file = std::make_unique<File>(fd, path == "-" ? "standard input" : path);
  TIERCEL_TRY_ASSIGN(const std::span<const char> first, file->Fill());
  std::unique_ptr<ByteSource> source;
  if (StartsWith(first, "\x1f\x8b")) {
    source = std::make_unique<GzipSource>(std::move(file));
  } else if (StartsWith(first, "\x28\xb5\x2f\xfd")) {
    source = std::make_unique<ZstdSource>(std::move(file));
  } else {
    source = std::make_unique<PlainSource>(std::move(file));
  }
  return source;
}

}  // namespace tiercel::loader
