// ContiguousInput: an Input whose bytes all lie at one address for as long as it lives. Base of memory and mapped
// inputs.
//
// Thread safety and lifetime as for Input; borrows need no pin.
#pragma once

#include <string>

#include "tiercel/cache/input.h"

namespace tiercel::cache {

class ContiguousInput : public Input {
 public:
  const std::string& name() const final { return name_; }
  uint64_t size() const final { return size_; }
  Result<Borrowed> Borrow(uint64_t offset, uint64_t length) const final;
  Status BorrowMany(std::span<const uint64_t> offsets, uint64_t length, BorrowScratch& scratch) const final;

 protected:
  ContiguousInput(std::string name, const uint8_t* data, uint64_t size)
      : name_(std::move(name)), data_(data), size_(size) {}
  const uint8_t* data() const { return data_; }

 private:
  const std::string name_;
  const uint8_t* const data_;
  const uint64_t size_;
};

// "OBJECT: reading N bytes at offset X, but it has Y".
Status OutOfRange(std::string_view object, uint64_t offset, uint64_t length, uint64_t size);

}  // namespace tiercel::cache
