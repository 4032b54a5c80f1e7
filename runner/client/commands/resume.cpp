#include <fmt/format.h>

#include "runner/base/say.h"
#include "runner/client/commands/pausing.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"

namespace sweepd {
namespace {

Exit resume(Client& client, const PauseOptions& options) {
  if (const auto valid = check(options, "resume"); !valid) return report_error(valid.error());
  const auto reply = client.call<rpc::Resume>({.sweeps = options.sweeps,
                                               .devices = options.devices,
                                               .all = options.devices.empty() && options.all});
  if (!reply) return report_error(reply.error());
  for (const PausedSweep& sweep : reply->sweeps) {
    if (sweep.was_paused) {
      say("resumed {}: {}\n", sweep.name, counted(sweep.held, "attempt") + " had waited");
    } else {
      say("{} is not paused\n", sweep.name);
    }
  }
  for (const rpc::ChangedDevice& device : reply->devices) {
    say("{} {}\n", device.device, device.changed ? "is in use again" : "is not paused");
  }
  if (reply->sweeps.empty() && reply->devices.empty())
    say("nothing to resume: no sweep is paused\n");
  return Exit::kOk;
}

}  // namespace

void add_resume(Command& app, Client& client) {
  auto options = std::make_shared<PauseOptions>();
  Command* command = app.add_subcommand("resume", "Resume a paused sweep or device");
  add_pause_options(*command, *options, "every sweep that is paused");
  command->footer("Example: sweepctl resume lm-end-to-end\n         sweepctl resume --device cpu");
  command->callback([&client, options] {
    client.action = [&client, options] { return resume(client, *options); };
  });
}

}  // namespace sweepd
