// InputSlice: one section of a segment, as a range of its Input. Offsets are relative to the section and checked
// against it.
//
// Thread safety: immutable. Lifetime: borrows the Input. Cost: that of Input::Borrow.
#pragma once

#include <string>
#include <string_view>

#include "tiercel/cache/input.h"
#include "tiercel/format/coding.h"

namespace tiercel::segment {

class InputSlice {
 public:
  InputSlice() = default;
  InputSlice(const cache::Input* input, uint64_t offset, uint64_t length)
      : input_(input), offset_(offset), length_(length) {}

  uint64_t size() const { return length_; }
  // Where the slice starts in the object.
  uint64_t offset() const { return offset_; }
  const cache::Input& input() const { return *input_; }

  Result<cache::Borrowed> Borrow(uint64_t offset, uint64_t length) const {
    if (offset > length_ || length > length_ - offset) return Bad(offset, "range past the end of its section");
    return input_->Borrow(offset_ + offset, length);
  }
  // A part of the slice, for a structure that has its own bounds.
  Result<InputSlice> Part(uint64_t offset, uint64_t length) const {
    if (offset > length_ || length > length_ - offset) return Bad(offset, "range past the end of its section");
    return InputSlice(input_, offset_ + offset, length);
  }
  format::Reader ReaderOver(const cache::Borrowed& bytes, uint64_t offset) const {
    return format::Reader(bytes.bytes(), input_->name(), offset_ + offset);
  }
  Status Bad(uint64_t offset, std::string_view what) const {
    return format::CorruptionAt(input_->name(), offset_ + offset, what);
  }

 private:
  const cache::Input* input_ = nullptr;
  uint64_t offset_ = 0;
  uint64_t length_ = 0;
};

}  // namespace tiercel::segment
