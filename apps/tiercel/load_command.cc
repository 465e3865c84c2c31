#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "commands.h"
#include "tiercel/loader/loader.h"

namespace tiercel::app {
namespace {

// 0: everything was indexed; 1: some documents were refused; 2: the load could not be done.
int RunLoad(loader::LoadOptions options, const std::string& index_file, bool quiet) {
  if (!index_file.empty()) {
    std::ifstream file(index_file);
    if (!file) {
      std::fprintf(stderr, "tiercel load: cannot read %s\n", index_file.c_str());
      return 2;
    }
    std::stringstream text;
    text << file.rdbuf();
    options.index_body = text.str();
  }
  options.progress = quiet         ? loader::Progress::Style::kNone
                     : ::isatty(2) ? loader::Progress::Style::kBar
                                   : loader::Progress::Style::kLines;
  const Result<loader::LoadReport> report = loader::Load(options);
  if (!report.ok()) {
    std::fprintf(stderr, "tiercel load: %s\n", report.error().message().c_str());
    return 2;
  }
  const loader::BulkCounters& counters = report->counters;
  std::printf("%s documents indexed into [%s] in %.1f s", loader::WithCommas(counters.indexed).c_str(),
              options.bulk.index.c_str(), report->seconds);
  if (counters.retried > 0)
    std::printf(", %s sent again after push-back", loader::WithCommas(counters.retried).c_str());
  std::printf("\n");
  for (const auto& [reason, documents] : counters.failures) {
    std::fprintf(stderr, "%s refused: %s\n", loader::WithCommas(documents).c_str(), reason.c_str());
  }
  return counters.failed > 0 ? 1 : 0;
}

struct LoadFlags {
  loader::LoadOptions options;
  std::vector<std::string> vectors;
  std::string index_file;
  bool quiet = false, no_refresh = false;
};

}  // namespace

void AddLoadCommand(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<LoadFlags>();
  loader::LoadOptions& options = flags->options;
  CLI::App* command =
      app.add_subcommand("load", "Load documents into an index of any Elasticsearch-compatible endpoint");
  command->add_option("index", options.bulk.index, "Index to load into")->required();
  command->add_option("input", options.input, "NDJSON, JSON array or CSV; plain, gzip or zstd; '-' for standard input")
      ->capture_default_str();
  options.bulk.endpoint.url = "http://127.0.0.1:9200";
  command->add_option("--url", options.bulk.endpoint.url, "Endpoint")->capture_default_str()->envname("TIERCEL_URL");
  command->add_option("--user", options.bulk.endpoint.user, "NAME:PASSWORD for basic authentication")
      ->envname("TIERCEL_USER");
  command->add_option("--api-key", options.bulk.endpoint.api_key, "Encoded API key")->envname("TIERCEL_API_KEY");
  const std::map<std::string, loader::InputFormat> formats = {{"auto", loader::InputFormat::kAuto},
                                                              {"ndjson", loader::InputFormat::kNdjson},
                                                              {"array", loader::InputFormat::kArray},
                                                              {"csv", loader::InputFormat::kCsv}};
  command->add_option("--format", options.format, "auto, ndjson, array or csv")
      ->transform(CLI::CheckedTransformer(formats, CLI::ignore_case));
  command->add_option("--id-field", options.id_field, "Take each document's _id from this member");
  command->add_option("--action", options.bulk.action, "index, or create to refuse ids that exist")
      ->check(CLI::IsMember({"index", "create"}))
      ->capture_default_str();
  command->add_option("--vectors", flags->vectors,
                      "FIELD=FILE:DIMS, rows of float16 (.f16) or float32 (.f32) to add to the documents in order");
  command->add_option("--create-with", flags->index_file,
                      "JSON file with settings and mappings, used when the index does not exist");
  command->add_option("--connections", options.bulk.connections, "Bulk requests in flight")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--batch-docs", options.bulk.batch_documents_max, "Documents in a bulk request")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--batch-bytes", options.bulk.batch_bytes_max, "Bytes in a bulk request")
      ->transform(CLI::AsSizeValue(false))
      ->capture_default_str();
  command->add_option("--retries", options.bulk.retries_max, "How often a refused (429) batch is sent again")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command->add_option("--limit", options.limit, "Stop after this many documents (0: all)")->capture_default_str();
  command->add_flag("--no-refresh", flags->no_refresh, "Do not refresh the index at the end");
  command->add_flag("--quiet", flags->quiet, "No progress");
  command->footer(
      "Exit status: 0 all indexed, 1 some documents refused (reasons on standard error), 2 the load could not be "
      "done.");
  command->callback([flags, &exit_code] {
    for (const std::string& text : flags->vectors) {
      const Result<loader::VectorColumnSpec> spec = loader::VectorColumnSpec::Parse(text);
      if (!spec.ok())
        throw CLI::ValidationError("--vectors", spec.error().message());  // tidy: exceptions stop here, in CLI11
      flags->options.vectors.push_back(*spec);
    }
    flags->options.refresh = !flags->no_refresh;
    while (flags->options.bulk.endpoint.url.ends_with('/')) flags->options.bulk.endpoint.url.pop_back();
    exit_code = RunLoad(flags->options, flags->index_file, flags->quiet);
  });
}

}  // namespace tiercel::app
