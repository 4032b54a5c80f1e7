#include "runner/client/session/client.h"
#include "runner/client/session/start_daemon.h"

namespace sweepd {

void add_recover(Command& app, Client& client) {
  auto dry_run = std::make_shared<bool>(false);
  Command* command = app.add_subcommand("recover", "Rebuild a lost database from attempt folders");
  command->add_flag("--dry-run", *dry_run, "only report the sweeps and attempts to recover");
  command->footer(
      "For a state folder whose results.db is lost or damaged. A copy made with `sweepctl backup` "
      "is\n"
      "better. Stop the daemon first. A sound database with sweeps is left alone; any other is "
      "moved\n"
      "aside. docs/RELIABILITY.md lists what is restored.\n"
      "Example: sweepctl recover --state-dir rescued");
  command->callback([&client, dry_run] {
    client.action = [&client, dry_run] {
      std::vector<std::string> options;
      if (*dry_run) options.emplace_back("--dry-run");
      const auto ran = recover_state(client.state(), std::move(options));
      if (!ran) return report_error(ran.error());
      return *ran == 0 ? Exit::kOk : Exit::kFailure;
    };
  });
}

}  // namespace sweepd
