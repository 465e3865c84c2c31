// The subcommands of the tiercel binary: each adds itself to the command line and leaves its exit status in
// `exit_code`.
#pragma once

namespace CLI {
class App;
}

namespace tiercel::app {

void AddServeCommand(CLI::App& app, int& exit_code);
void AddLoadCommand(CLI::App& app, int& exit_code);
void AddVerifyCommand(CLI::App& app, int& exit_code);

}  // namespace tiercel::app
