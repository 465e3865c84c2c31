#include "tiercel/cache/contiguous_input.h"

namespace tiercel::cache {

Status OutOfRange(std::string_view object, uint64_t offset, uint64_t length, uint64_t size) {
  return Corruption(std::string(object) + ": reading " + std::to_string(length) + " bytes at offset " +
                    std::to_string(offset) + ", but it has " + std::to_string(size));
}

Result<Borrowed> ContiguousInput::Borrow(uint64_t offset, uint64_t length) const {
  if (offset > size_ || length > size_ - offset) return OutOfRange(name_, offset, length, size_);
  return Borrowed(ByteSpan(data_ + offset, length));
}

Status ContiguousInput::BorrowMany(std::span<const uint64_t> offsets, uint64_t length, BorrowScratch& scratch) const {
  scratch.pins.clear();
  scratch.rows.resize(offsets.size());
  if (length > size_ && !offsets.empty()) return OutOfRange(name_, offsets.front(), length, size_);
  const uint64_t last = size_ - length;
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] > last) return OutOfRange(name_, offsets[i], length, size_);
    scratch.rows[i] = data_ + offsets[i];
  }
  return {};
}

}  // namespace tiercel::cache
