#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>

#include "build_info.h"
#include "runner/base/say.h"
#include "runner/client/session/client.h"
#include "runner/client/session/usage.h"

namespace sweepd {
namespace {

int run_sweepctl(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_DFL);  // so that `sweepctl list | head` ends quietly
  CLI::App app{
      "Submits, watches and queries sweeps of LLM training-step benchmarks.\n"
      "Starts the daemon when none is running."};
  app.name("sweepctl");
  Client client;
  app.add_option("--state-dir", client.state_dir,
                 "the daemon's state folder [default: $SWEEPD_STATE_DIR, else "
                 "$XDG_STATE_HOME/sweepd, else ~/.local/state/sweepd]");
  app.add_option("--config", client.config,
                 "the configuration file of a daemon that this command starts "
                 "(schemas/config.md) [default: $SWEEPD_CONFIG, else /etc/sweepd/config.yaml and "
                 "$XDG_CONFIG_HOME/sweepd/config.yaml]")
      ->type_name("FILE");
  app.add_flag("--no-start", client.no_start,
               "fail instead of starting a daemon when none is running");
  app.add_option(
         "--db", client.database,
         "read this database file (or the one in this state folder) instead of asking the "
         "daemon; for list, show, report, query, plot, compare, log, usage, backup and workloads")
      ->type_name("FILE");
  app.set_version_flag("--version", std::string("sweepctl ") + kVersionText);
  app.require_subcommand(1);
  app.failure_message(explain_usage);
  app.fallthrough();  // --state-dir may also follow the verb
  Command commands(app);
  for (const auto add :
       {add_run,     add_plan,   add_submit,    add_frontier,     add_study,   add_watch,
        add_list,    add_show,   add_report,    add_query,        add_plot,    add_compare,
        add_export,  add_log,    add_pause,     add_resume,       add_cancel,  add_retry,
        add_reread,  add_merge,  add_delete,    add_usage,        add_compact, add_backup,
        add_recover, add_bundle, add_noise,     add_reference,    add_import,  add_explain,
        add_try,     add_emit,   add_workloads, add_new_workload, add_devices, add_config,
        add_doctor,  add_status, add_stop,      add_completion}) {
    add(commands, client);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : static_cast<int>(Exit::kUsage);
  }
  return static_cast<int>(client.action());
}

// If one of these is closed, the next opened file or socket would take its number and get the
// output.
void open_standard_streams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0) ::open("/dev/null", O_RDWR);  // gets the smallest free number
  }
}

// The output may not have been written, as on a full disk.
int flushed(int exit_code) {
  const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (!failed || exit_code != 0) return exit_code;
  std::fprintf(stderr, "sweepctl: cannot write to standard output: %s\n", std::strerror(errno));
  return static_cast<int>(Exit::kFailure);
}

}  // namespace
}  // namespace sweepd

int main(int argc, char** argv) {
  sweepd::open_standard_streams();
  try {
    return sweepd::flushed(sweepd::run_sweepctl(argc, argv));
  } catch (const std::system_error& error) {  // fmt::print, for one
    std::fprintf(stderr, "sweepctl: %s\n", error.what());
    return static_cast<int>(sweepd::Exit::kFailure);
  }
}
