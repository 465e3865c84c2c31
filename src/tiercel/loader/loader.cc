#include "tiercel/loader/loader.h"

#include <utility>

#include "tiercel/json/value.h"

namespace tiercel::loader {
namespace {

std::string ErrorText(const HttpReply& reply) {
  const Result<json::Document> answer = json::Document::Parse(reply.body);
  std::string text = "HTTP " + std::to_string(reply.status);
  if (!answer.ok()) return text;
  const json::Value error = answer->root()["error"];
  if (error.is_string()) return text + ": " + std::string(error.as_string());
  if (const json::Value reason = error["reason"]; reason.is_string()) text += ": " + std::string(reason.as_string());
  return text;
}

Status EnsureIndex(HttpClient& client, const LoadOptions& options) {
  TIERCEL_TRY_ASSIGN(const HttpReply exists, client.Send("HEAD", "/" + options.bulk.index, {}, {}));
  if (exists.status == 200) return {};
  if (!options.index_body) return {};  // the endpoint creates it with the first document
  TIERCEL_TRY_ASSIGN(const HttpReply created,
                     client.Send("PUT", "/" + options.bulk.index, *options.index_body, "application/json"));
  if (created.status != 200)
    return InvalidArgument("could not create index [" + options.bulk.index + "]: " + ErrorText(created));
  return {};
}

Result<std::string> DocumentId(const std::string& record, const std::string& field, uint64_t number) {
  if (field.empty()) return std::string();
  TIERCEL_TRY_ASSIGN(const json::Document document, json::Document::Parse(record));
  const json::Value id = document.root()[field];
  if (id.is_string()) return std::string(id.as_string());
  if (id.is_integer()) return std::string(id.raw());
  return InvalidArgument("record " + std::to_string(number) + ": no string or integer in [" + field +
                         "] to take the id from");
}

}  // namespace

Result<LoadReport> Load(const LoadOptions& options, const Clock& clock) {
  TIERCEL_TRY_ASSIGN(std::unique_ptr<ByteSource> source, ByteSource::Open(options.input));
  RecordReader reader(std::move(source), options.format);
  std::vector<VectorFile> vectors;
  for (const VectorColumnSpec& spec : options.vectors) {
    TIERCEL_TRY_ASSIGN(VectorFile file, VectorFile::Open(spec));
    vectors.push_back(std::move(file));
  }
  HttpClient client(options.bulk.endpoint);
  TIERCEL_TRY(EnsureIndex(client, options));

  const int64_t start_ms = clock.MonotonicMs();
  Progress progress(options.progress, stderr, clock);
  BulkSender sender(options.bulk);
  const auto now = [&] {
    const BulkCounters counters = sender.counters();
    return ProgressNow{counters.sent, counters.bytes, counters.failed, reader.source().consumed_bytes(),
                       reader.source().total_bytes()};
  };
  while (options.limit == 0 || reader.records() < options.limit) {
    TIERCEL_TRY_ASSIGN(std::optional<std::string> record, reader.Next());
    if (!record) break;
    TIERCEL_TRY_ASSIGN(const std::string id, DocumentId(*record, options.id_field, reader.records()));
    for (VectorFile& file : vectors) TIERCEL_TRY(file.AddTo(*record));
    sender.Add(id, *record);
    if (reader.records() % 64 == 0) progress.Update(now());
  }
  sender.Finish();
  if (options.refresh) {
    TIERCEL_TRY_ASSIGN(const HttpReply refreshed, client.Send("POST", "/" + options.bulk.index + "/_refresh", {}, {}));
    if (refreshed.status != 200 && reader.records() > 0) return Unavailable("refresh: " + ErrorText(refreshed));
  }
  progress.Finish(now());
  return LoadReport{sender.counters(), static_cast<double>(clock.MonotonicMs() - start_ms) / 1000.0};
}

}  // namespace tiercel::loader
