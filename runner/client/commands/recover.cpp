#include "runner/client/client.h"
#include "runner/client/start_daemon.h"

namespace sweepd {

void add_recover(Command& app, Client& client) {
  auto dry_run = std::make_shared<bool>(false);
  Command* command = app.add_subcommand(
      "recover", "Make the database anew from the folders of the attempts, if it is lost");
  command->add_flag("--dry-run", *dry_run, "only say what would be found");
  command->footer(
      "For a state folder whose results.db is gone or damaged. A copy made with `sweepctl backup`\n"
      "is better, where there is one. Stop the daemon first. A database that is sound and has\n"
      "sweeps is left alone; any other is moved aside. docs/RELIABILITY.md says what comes back.\n"
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
