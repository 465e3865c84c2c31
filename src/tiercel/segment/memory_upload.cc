#include <algorithm>
#include <cstring>
#include <new>

#include "tiercel/cache/contiguous_input.h"
#include "tiercel/segment/builder.h"

namespace tiercel::segment {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr uint64_t kFirstCapacity = 64 * 1024;

class UploadedInput final : public cache::ContiguousInput {
 public:
  UploadedInput(std::string name, std::shared_ptr<const uint8_t> owner, uint64_t size)
      : ContiguousInput(std::move(name), owner.get(), size), owner_(std::move(owner)) {}

 private:
  const std::shared_ptr<const uint8_t> owner_;
};

}  // namespace

void MemoryUpload::Release::operator()(uint8_t* bytes) const { ::operator delete[](bytes, kAlignment); }

MemoryUpload::MemoryUpload() = default;
MemoryUpload::~MemoryUpload() = default;

Status MemoryUpload::Append(ByteSpan bytes) {
  if (bytes.empty()) return {};
  if (capacity_ - size_ < bytes.size()) {
    const uint64_t wanted = std::max({size_ + bytes.size(), capacity_ * 2, kFirstCapacity});
    std::unique_ptr<uint8_t[], Release> grown(static_cast<uint8_t*>(::operator new[](wanted, kAlignment)));
    if (size_ > 0) std::memcpy(grown.get(), bytes_.get(), size_);
    bytes_ = std::move(grown);
    capacity_ = wanted;
  }
  std::memcpy(bytes_.get() + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
  return {};
}

std::shared_ptr<const cache::Input> MemoryUpload::IntoInput(std::string name) && {
  const uint64_t size = std::exchange(size_, 0);
  capacity_ = 0;
  std::shared_ptr<const uint8_t> owner(bytes_.release(), Release());
  return std::make_shared<UploadedInput>(std::move(name), std::move(owner), size);
}

}  // namespace tiercel::segment
