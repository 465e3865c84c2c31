#include <algorithm>
#include <charconv>

#include "tiercel/format/checksum.h"
#include "tiercel/format/coding.h"
#include "tiercel/shard/log.h"
#include "tiercel/shard/log_frame.h"

namespace tiercel::shard {
namespace {

constexpr std::string_view kLogMagic = "TIERLOG1";
constexpr int kGenerationDigits = 16;

uint64_t RecordBound(const LogRecord& record) {
  return record.id.size() + record.routing.size() + record.source.size() + 64;
}

void EncodeRecord(const LogRecord& record, format::Writer& writer) {
  writer.U8(static_cast<uint8_t>(record.kind));
  writer.SignedVarint(record.version);
  writer.String(record.id);
  if (record.kind == LogRecord::Kind::kDelete) return;
  writer.String(record.routing);
  writer.String(record.source);
}

void SealFrame(std::span<uint8_t> frame, int64_t first_seq_no, uint32_t count, uint64_t synced_offset) {
  format::StoreU32(kFrameMagic, &frame[8]);
  format::StoreU32(static_cast<uint32_t>(frame.size() - kFrameHeaderBytes), &frame[12]);
  format::StoreU64(static_cast<uint64_t>(first_seq_no), &frame[16]);
  format::StoreU64(synced_offset, &frame[24]);
  format::StoreU32(count, &frame[32]);
  format::StoreU32(static_cast<uint32_t>(format::Checksum(frame.subspan(8, 28))), &frame[36]);
  format::StoreU64(format::Checksum(frame.subspan(8)), &frame[0]);
}

}  // namespace

std::string LogObjectName(std::string_view prefix, uint64_t generation) {
  char digits[kGenerationDigits];
  const auto [end, error] = std::to_chars(digits, digits + kGenerationDigits, generation, 16);
  const std::string_view hex(digits, static_cast<size_t>(end - digits));
  std::string name(prefix);
  name += "/log/";
  name.append(kGenerationDigits - hex.size(), '0');
  name += hex;
  return name;
}

Bytes EncodeLogHeader(const LogHeader& header) {
  Bytes out;
  format::Writer writer(out);
  writer.Raw(AsBytes(kLogMagic));
  writer.U32(header.version);
  writer.U32(0);
  writer.U64(header.generation);
  writer.U64(header.primary_term);
  writer.U64(static_cast<uint64_t>(header.first_seq_no));
  writer.U64(static_cast<uint64_t>(header.synced_seq_no));
  writer.U64(0);
  writer.U64(format::Checksum(out));
  return out;
}

std::optional<LogHeader> DecodeLogHeader(ByteSpan bytes) {
  if (bytes.size() < LogHeader::kBytes) return std::nullopt;
  bytes = bytes.first(LogHeader::kBytes);
  if (AsText(bytes.first(kLogMagic.size())) != kLogMagic) return std::nullopt;
  if (format::LoadU64(&bytes[56]) != format::Checksum(bytes.first(56))) return std::nullopt;
  LogHeader header;
  header.version = format::LoadU32(&bytes[8]);
  header.generation = format::LoadU64(&bytes[16]);
  header.primary_term = format::LoadU64(&bytes[24]);
  header.first_seq_no = static_cast<int64_t>(format::LoadU64(&bytes[32]));
  header.synced_seq_no = static_cast<int64_t>(format::LoadU64(&bytes[40]));
  return header;
}

Status EncodeFrames(std::span<const LogRecord> records, uint64_t synced_offset, Bytes& out) {
  size_t next = 0;
  while (next < records.size()) {
    const size_t start = out.size();
    const size_t first = next;
    out.resize(start + kFrameHeaderBytes);
    format::Writer writer(out);
    do {
      if (RecordBound(records[next]) > kMaxFramePayload) {
        return InvalidArgument("an operation of " + std::to_string(records[next].source.size()) +
                               " bytes does not fit the log");
      }
      EncodeRecord(records[next++], writer);
    } while (next < records.size() && out.size() - start < kFramePayloadTarget &&
             out.size() - start + RecordBound(records[next]) < kMaxFramePayload);
    SealFrame(std::span(out).subspan(start), records[first].seq_no, static_cast<uint32_t>(next - first), synced_offset);
  }
  return {};
}

std::optional<FrameHeader> DecodeFrameHeader(ByteSpan bytes) {
  if (bytes.size() < kFrameHeaderBytes || format::LoadU32(&bytes[8]) != kFrameMagic) return std::nullopt;
  if (format::LoadU32(&bytes[36]) != static_cast<uint32_t>(format::Checksum(bytes.subspan(8, 28)))) return std::nullopt;
  FrameHeader header;
  header.checksum = format::LoadU64(&bytes[0]);
  header.payload_bytes = format::LoadU32(&bytes[12]);
  header.first_seq_no = static_cast<int64_t>(format::LoadU64(&bytes[16]));
  header.synced_offset = format::LoadU64(&bytes[24]);
  header.count = format::LoadU32(&bytes[32]);
  if (header.payload_bytes > kMaxFramePayload || header.count == 0) return std::nullopt;
  return header;
}

Status DecodeRecords(const FrameHeader& header, ByteSpan payload, const LogHeader& log, std::string_view object,
                     uint64_t offset, const std::function<Status(const LogRecord&)>& visit) {
  format::Reader reader(payload, object, offset);
  for (uint32_t i = 0; i < header.count; ++i) {
    LogRecord record;
    record.seq_no = header.first_seq_no + i;
    record.primary_term = static_cast<int64_t>(log.primary_term);
    TIERCEL_TRY_ASSIGN(const uint8_t kind, reader.U8());
    if (kind > 1) return reader.Bad("unknown kind of log record");
    record.kind = static_cast<LogRecord::Kind>(kind);
    TIERCEL_TRY_ASSIGN(record.version, reader.SignedVarint());
    TIERCEL_TRY_ASSIGN(record.id, reader.String());
    if (record.kind == LogRecord::Kind::kIndex) {
      TIERCEL_TRY_ASSIGN(record.routing, reader.String());
      TIERCEL_TRY_ASSIGN(record.source, reader.String());
    }
    TIERCEL_TRY(visit(record));
  }
  if (!reader.AtEnd()) return reader.Bad("bytes after the last record of a log frame");
  return {};
}

}  // namespace tiercel::shard
