#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>

#include "runner/daemon/allocator.h"
#include "runner/daemon/app.h"
#include "runner/daemon/daemonize.h"
#include "runner/daemon/logging.h"
#include "runner/daemon/options.h"
#include "runner/daemon/recover_database.h"
#include "runner/daemon/serve_file.h"
#include "runner/daemon/try_attempts.h"

namespace sweepd {
namespace {

int run_sweepd(int argc, char** argv) {
  ::umask(077);  // for all files of this process and its workers, including SQLite's
  int exit_code = EXIT_SUCCESS;
  const auto options = parse_options(argc, argv, exit_code);
  if (!options) return exit_code;
  std::signal(SIGPIPE, SIG_IGN);  // a disconnected client causes an error code instead of a signal
  if (options->tries) return try_attempts();
  if (options->recover) return recover_database(options->app, *options->recover);
  if (!options->read_file.empty()) return serve_file(options->app, options->read_file);

  ReadyPipe pipe;
  if (options->ground == Ground::kBackground) {
    Daemonized daemonized = daemonize();
    if (daemonized.is_parent) return daemonized.exit_code;
    pipe = std::move(daemonized.pipe);
  }
  return_unused_memory();
  if (const auto logging = start_logging(options->app.state, options->ground); !logging) {
    pipe.failed(logging.error().message, EXIT_FAILURE);
    return EXIT_FAILURE;
  }
  auto app = App::create(options->app);
  if (!app) {
    spdlog::error(app.error().message);
    const bool held = app.error().code == ErrorCode::kAlreadyExists;
    pipe.failed(app.error().message, held ? kExitHeld : EXIT_FAILURE);
    return held ? kExitHeld : EXIT_FAILURE;
  }
  const auto ran = (*app)->run([&pipe] { pipe.ready(); });
  if (!ran) {
    spdlog::error(ran.error().message);
    pipe.failed(ran.error().message, EXIT_FAILURE);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace sweepd

int main(int argc, char** argv) {
  return sweepd::run_sweepd(argc, argv);
}
