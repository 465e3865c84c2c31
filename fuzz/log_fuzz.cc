// Operation logs: arbitrary bytes after a good header, whole frames with arbitrary payloads, and arbitrary objects.
#include "tiercel/base/check.h"
#include "tiercel/shard/log.h"
#include "tiercel/shard/log_frame.h"
#include "tiercel/store/memory_store.h"

namespace {

using namespace tiercel;

void Replay(ByteSpan object) {
  store::MemoryStore store;
  TIERCEL_CHECK(store.Put(shard::LogObjectName("p", 1), object).ok());
  uint64_t seen = 0;
  const auto summary = shard::ReplayLogs(store, "p", 1, -1, [&](const shard::LogRecord& record) {
    seen += 1 + record.id.size() * 0 + record.source.size() * 0;
    return Status();
  });
  if (summary.ok()) TIERCEL_CHECK(summary->operations == seen && summary->last_valid_size <= object.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ByteSpan bytes(data, size);
  Replay(bytes);
  Bytes with_header = shard::EncodeLogHeader({.generation = 1, .primary_term = 1});
  with_header.insert(with_header.end(), bytes.begin(), bytes.end());
  Replay(with_header);

  const shard::LogHeader log{.generation = 1, .primary_term = 1};
  const shard::FrameHeader frame{.payload_bytes = static_cast<uint32_t>(size), .count = size > 0 ? data[0] % 8u : 0};
  static_cast<void>(
      shard::DecodeRecords(frame, bytes, log, "log", 64, [](const shard::LogRecord&) { return Status(); }).ok());
  return 0;
}
