#include <malloc.h>

#include <CLI/CLI.hpp>

#include "commands.h"

int main(int argc, char** argv) {
  // Every thread that allocates would otherwise get an arena of its own, and an idle node tens of megabytes of them.
  mallopt(M_ARENA_MAX, 4);
  CLI::App app("Tiercel: a search and analytics engine that speaks the Elasticsearch REST API");
  app.set_version_flag("--version", TIERCEL_VERSION);
  app.require_subcommand(1);
  int exit_code = 0;
  tiercel::app::AddServeCommand(app, exit_code);
  tiercel::app::AddLoadCommand(app, exit_code);
  tiercel::app::AddVerifyCommand(app, exit_code);
  CLI11_PARSE(app, argc, argv);
  return exit_code;
}
