// Input: a named, immutable run of bytes, and the one way anybody reads stored data. Borrow, don't read.
//
// Behind it lies a mapped local file, memory, or later a file seen through the blob cache; readers cannot tell. A
// Borrowed pins its bytes until it is destroyed. Inputs made by MakeChecked verify each 64 KiB block against the
// object's own checksum table the first time it is touched (one bit per block afterwards), so corrupt bytes become a
// Corruption that names object and offset on every read path, and no reader carries checksum code of its own.
//
// Thread safety: all const methods from any thread. Lifetime: a Borrowed may outlive the call but not the Input, which
// segments hold by shared_ptr. Cost: a borrow of resident mapped memory is a bounds test, a bit test and no copy.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tiercel/base/bytes.h"
#include "tiercel/base/result.h"

namespace tiercel::cache {

// Pinned bytes. Move-only.
class Borrowed {
 public:
  Borrowed() = default;
  explicit Borrowed(ByteSpan bytes, std::shared_ptr<const void> pin = nullptr) : bytes_(bytes), pin_(std::move(pin)) {}
  Borrowed(Borrowed&&) noexcept = default;
  Borrowed& operator=(Borrowed&&) noexcept = default;

  ByteSpan bytes() const { return bytes_; }
  const uint8_t* data() const { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }

 private:
  ByteSpan bytes_;
  std::shared_ptr<const void> pin_;  // null when the bytes live as long as the Input
};

// Reusable room for BorrowMany: the addresses, the pins, and copies of rows that straddle two regions.
struct BorrowScratch {
  std::vector<const uint8_t*> rows;
  std::vector<Borrowed> pins;
  Bytes copies;
};

enum class AccessPattern { kNormal, kRandom, kSequential };

struct Range {
  uint64_t offset = 0;
  uint64_t length = 0;
};

class Input {
 public:
  virtual ~Input() = default;

  virtual const std::string& name() const = 0;
  virtual uint64_t size() const = 0;
  // Out-of-range requests are a Corruption: they come from offsets that were read from the object itself.
  virtual Result<Borrowed> Borrow(uint64_t offset, uint64_t length) const = 0;
  // scratch.rows[i] addresses `length` bytes at offsets[i]; valid until scratch is reused. Never fails as a whole for a
  // straddling row: that row alone is copied.
  virtual Status BorrowMany(std::span<const uint64_t> offsets, uint64_t length, BorrowScratch& scratch) const = 0;
  // Hints; never fail and never block for long.
  virtual void Prefetch(std::span<const Range>) const {}
  virtual void Advise(Range, AccessPattern) const {}
  // How many bytes of the range are in memory now.
  virtual uint64_t ResidentBytes(Range range) const { return range.length; }
};

}  // namespace tiercel::cache
