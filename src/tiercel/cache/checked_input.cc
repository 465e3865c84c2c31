#include "tiercel/cache/checked_input.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "tiercel/base/check.h"
#include "tiercel/format/checksum.h"
#include "tiercel/format/coding.h"
#include "tiercel/format/container.h"

namespace tiercel::cache {
namespace {

using format::kChecksumBlock;

class CheckedInput final : public Input {
 public:
  CheckedInput(std::shared_ptr<const Input> raw, std::vector<uint64_t> checksums, uint64_t covered)
      : raw_(std::move(raw)),
        checksums_(std::move(checksums)),
        covered_(covered),
        verified_(checksums_.size() / 64 + 1) {
    TIERCEL_CHECK(covered_ <= raw_->size() && checksums_.size() == (covered_ + kChecksumBlock - 1) / kChecksumBlock);
  }

  const std::string& name() const override { return raw_->name(); }
  uint64_t size() const override { return raw_->size(); }

  Result<Borrowed> Borrow(uint64_t offset, uint64_t length) const override {
    TIERCEL_TRY(Verify(offset, length));
    return raw_->Borrow(offset, length);
  }

  Status BorrowMany(std::span<const uint64_t> offsets, uint64_t length, BorrowScratch& scratch) const override {
    for (const uint64_t offset : offsets) TIERCEL_TRY(Verify(offset, length));
    return raw_->BorrowMany(offsets, length, scratch);
  }

  void Prefetch(std::span<const Range> ranges) const override { raw_->Prefetch(ranges); }
  void Advise(Range range, AccessPattern pattern) const override { raw_->Advise(range, pattern); }
  uint64_t ResidentBytes(Range range) const override { return raw_->ResidentBytes(range); }

 private:
  // Checks the blocks under [offset, offset + length) that nobody has touched yet.
  Status Verify(uint64_t offset, uint64_t length) const {
    if (offset >= covered_ || length == 0) return {};
    const uint64_t end = offset + std::min(length, covered_ - offset);
    for (uint64_t block = offset / kChecksumBlock; block * kChecksumBlock < end; ++block) {
      if (!(verified_[block / 64].load(std::memory_order_relaxed) >> (block % 64) & 1)) [[unlikely]] {
        TIERCEL_TRY(VerifyBlock(block));
      }
    }
    return {};
  }

  Status VerifyBlock(uint64_t block) const {
    const uint64_t start = block * kChecksumBlock;
    TIERCEL_TRY_ASSIGN(const Borrowed bytes, raw_->Borrow(start, std::min(kChecksumBlock, covered_ - start)));
    if (format::Checksum(bytes.bytes()) != checksums_[block]) {
      return format::CorruptionAt(name(), start, "wrong checksum of the block");
    }
    verified_[block / 64].fetch_or(uint64_t{1} << (block % 64), std::memory_order_relaxed);
    return {};
  }

  const std::shared_ptr<const Input> raw_;
  const std::vector<uint64_t> checksums_;
  const uint64_t covered_;
  mutable std::vector<std::atomic<uint64_t>> verified_;
};

}  // namespace

std::shared_ptr<const Input> MakeChecked(std::shared_ptr<const Input> raw, std::vector<uint64_t> block_checksums,
                                         uint64_t covered_bytes) {
  return std::make_shared<CheckedInput>(std::move(raw), std::move(block_checksums), covered_bytes);
}

}  // namespace tiercel::cache
