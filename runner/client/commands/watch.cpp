#include "runner/client/session/client.h"
#include "runner/client/watch/watching.h"

namespace sweepd {

void add_watch(Command& app, Client& client) {
  auto sweep = std::make_shared<std::string>();
  Command* command = app.add_subcommand("watch", "Follow a sweep until it has ended");
  command->add_option(
      "SWEEP", *sweep,
      "name (its latest sweep), id or unique prefix of an id [default: the latest sweep]");
  command->footer(
      "Example: sweepctl watch lm-end-to-end\nCtrl-C stops watching, not the sweep. If the daemon "
      "dies, `watch` starts the next one and continues.");
  command->callback([&client, sweep] {
    client.action = [&client, sweep] { return watch_sweep(client, *sweep); };
  });
}

}  // namespace sweepd
