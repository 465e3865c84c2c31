#include "tiercel/cache/open.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>

#include "tiercel/cache/contiguous_input.h"
#include "tiercel/store/posix_file.h"

namespace tiercel::cache {
namespace {

constexpr std::align_val_t kMemoryAlignment{64};

class MemoryInput final : public ContiguousInput {
 public:
  // Takes `data`, allocated with kMemoryAlignment.
  MemoryInput(std::string name, uint8_t* data, uint64_t size)
      : ContiguousInput(std::move(name), data, size), owned_(data) {}
  ~MemoryInput() override { operator delete(owned_, kMemoryAlignment); }
  MemoryInput(const MemoryInput&) = delete;
  MemoryInput& operator=(const MemoryInput&) = delete;

  uint64_t ResidentBytes(Range range) const override {
    return range.offset >= size() ? 0 : std::min(range.length, size() - range.offset);
  }

 private:
  uint8_t* const owned_;
};

uint64_t PageBytes() {
  static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
  return bytes;
}

class MappedInput final : public ContiguousInput {
 public:
  MappedInput(std::string name, void* mapping, uint64_t size)
      : ContiguousInput(std::move(name), static_cast<const uint8_t*>(mapping), size),
        mapping_(static_cast<uint8_t*>(mapping)) {}
  ~MappedInput() override { munmap(mapping_, size()); }
  MappedInput(const MappedInput&) = delete;
  MappedInput& operator=(const MappedInput&) = delete;

  void Prefetch(std::span<const Range> ranges) const override {
    for (const Range& range : ranges) Hint(range, MADV_WILLNEED);
  }

  void Advise(Range range, AccessPattern pattern) const override {
    Hint(range, pattern == AccessPattern::kRandom       ? MADV_RANDOM
                : pattern == AccessPattern::kSequential ? MADV_SEQUENTIAL
                                                        : MADV_NORMAL);
  }

  uint64_t ResidentBytes(Range range) const override {
    const auto [first, last] = Clip(range);
    const uint64_t page = PageBytes();
    uint64_t resident = 0;
    std::array<unsigned char, 4096> present;
    for (uint64_t at = first / page * page; at < last;) {
      const uint64_t pages = std::min<uint64_t>(present.size(), (last - at + page - 1) / page);
      if (mincore(mapping_ + at, pages * page, present.data()) != 0) return resident;
      for (uint64_t i = 0; i < pages; ++i, at += page) {
        if ((present[i] & 1) != 0) resident += std::min(at + page, last) - std::max(at, first);
      }
    }
    return resident;
  }

 private:
  std::pair<uint64_t, uint64_t> Clip(Range range) const {
    const uint64_t first = std::min(range.offset, size());
    return {first, first + std::min(range.length, size() - first)};
  }

  void Hint(Range range, int advice) const {
    const auto [first, last] = Clip(range);
    if (first == last) return;
    const uint64_t start = first / PageBytes() * PageBytes();
    // Only advice: whatever the kernel answers, reads stay correct.
    static_cast<void>(madvise(mapping_ + start, last - start, advice));
  }

  uint8_t* const mapping_;
};

uint8_t* AllocateAligned(uint64_t size) {
  return static_cast<uint8_t*>(operator new(std::max<uint64_t>(size, 1), kMemoryAlignment));
}

}  // namespace

std::shared_ptr<const Input> MakeMemoryInput(std::string name, ByteSpan bytes) {
  uint8_t* data = AllocateAligned(bytes.size());
  if (!bytes.empty()) std::memcpy(data, bytes.data(), bytes.size());
  return std::make_shared<MemoryInput>(std::move(name), data, bytes.size());
}

Result<std::shared_ptr<const Input>> MapFile(const std::filesystem::path& path, std::string name) {
  TIERCEL_TRY_ASSIGN(const store::FileDescriptor file, store::OpenFile(path, O_RDONLY, name));
  TIERCEL_TRY_ASSIGN(const uint64_t size, store::FileSize(file.get(), name));
  if (size == 0) return MakeMemoryInput(std::move(name), {});
  void* mapping = mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (mapping == MAP_FAILED) return store::ErrnoStatus(errno, "mapping", name);
  return std::shared_ptr<const Input>(std::make_shared<MappedInput>(std::move(name), mapping, size));
}

Result<std::shared_ptr<const Input>> OpenObject(const store::ObjectStore& store, std::string_view name) {
  if (const auto path = store.LocalPath(name)) return MapFile(*path, std::string(name));
  TIERCEL_TRY_ASSIGN(const Bytes bytes, store.Get(name));
  return MakeMemoryInput(std::string(name), bytes);
}

}  // namespace tiercel::cache
