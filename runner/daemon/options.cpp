#include "runner/daemon/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>

#include "build_info.h"
#include "runner/base/say.h"
#include "runner/base/worker_program.h"

namespace sweepd {
namespace {

bool has_results(const StateFolder& state) {
  std::error_code ignored;
  if (std::filesystem::exists(state.database(), ignored)) return true;
  say(stderr, "there is no {}\n", state.database().string());
  return false;
}

// None in the foreground: the supervisor that keeps the daemon there also restarts it.
std::filesystem::path watched_program(Ground ground) {
  std::error_code ignored;
  if (ground == Ground::kForeground) return {};
  return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

}  // namespace

std::optional<DaemonOptions> parse_options(int argc, char** argv, int& exit_code) {
  CLI::App cli{
      "Runs sweeps of LLM training-step benchmarks and keeps their results.\n"
      "sweepctl usually starts it; to start it by hand: sweepd --foreground"};
  std::string state_dir, worker, config, read_file;
  bool recover = false, dry_run = false, foreground = false, no_prefork = false, existing = false,
       tries = false;
  cli.add_option("--state-dir", state_dir,
                 "folder for the database, runs, log and socket [default: $SWEEPD_STATE_DIR, else "
                 "$XDG_STATE_HOME/sweepd, else ~/.local/state/sweepd]");
  cli.add_option("--worker", worker,
                 "the sweep-worker program [default: $SWEEPD_WORKER, else the one of the package "
                 "sweepd-torch, else the one beside sweepd]");
  cli.add_option("--config", config,
                 "the configuration file (schemas/config.md) [default: $SWEEPD_CONFIG, else "
                 "/etc/sweepd/config.yaml and $XDG_CONFIG_HOME/sweepd/config.yaml]");
  cli.add_option("--read", read_file,
                 "only answer questions about this database file, over the socket on standard "
                 "input (for sweepctl --db)");
  cli.add_flag("--try", tries,
               "only run the attempts on standard input, and store nothing (for sweepctl try)");
  CLI::Option* recovering =
      cli.add_flag("--recover", recover,
                   "only rebuild a lost database from attempt folders (for sweepctl recover)");
  cli.add_flag("--dry-run", dry_run,
               "with --recover: only report the sweeps and attempts to recover")
      ->needs(recovering);
  cli.add_flag("--foreground", foreground, "stay in the foreground and log to the terminal too");
  cli.add_flag("--existing", existing,
               "end if the state folder has no database (for clients whose daemon died)");
  cli.add_flag("--no-prefork", no_prefork,
               "load a new worker for every attempt instead of forking a loaded one "
               "(docs/MEASURING.md) [also: SWEEPD_NO_PREFORK=1]")
      ->envname("SWEEPD_NO_PREFORK");
  cli.set_version_flag("--version", std::string("sweepd ") + kVersionText);
  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    exit_code = cli.exit(e) == 0 ? 0 : 2;
    return std::nullopt;
  }
  const Ground ground = foreground ? Ground::kForeground : Ground::kBackground;
  const StateFolder state = StateFolder::from_environment(state_dir);
  if (existing && !has_results(state)) {
    exit_code = EXIT_FAILURE;
    return std::nullopt;
  }
  const std::filesystem::path program =
      worker.empty() ? worker_program() : std::filesystem::path(worker);
  std::optional<Recovery> recovery;
  if (recover) recovery = dry_run ? Recovery::kDryRun : Recovery::kForReal;
  return DaemonOptions{
      {state, std::filesystem::absolute(program), no_prefork ? Prefork::kNo : Prefork::kYes,
       ConfigPlaces::from_environment(config), watched_program(ground)},
      ground,
      recovery,
      read_file,
      tries};
}

}  // namespace sweepd
