#include <fmt/format.h>

#include "runner/base/say.h"
#include "runner/client/commands/pausing.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"

namespace sweepd {
namespace {

// "12 queued attempts wait, 1 running attempt finishes"
std::string attempts_text(const PausedSweep& sweep) {
  std::string text =
      sweep.held == 1 ? "1 queued attempt waits" : counted(sweep.held, "queued attempt") + " wait";
  if (sweep.running > 0) {
    text += fmt::format(", {} {}", counted(sweep.running, "running attempt"),
                        sweep.running == 1 ? "finishes" : "finish");
  }
  if (sweep.given > 0) {
    text += fmt::format(", {} in a cluster {} back unless a job has {}",
                        counted(sweep.given, "attempt"), sweep.given == 1 ? "comes" : "come",
                        sweep.given == 1 ? "it" : "them");
  }
  return text;
}

Exit pause(Client& client, const PauseOptions& options) {
  if (const auto valid = check(options, "pause"); !valid) return report_error(valid.error());
  const auto reply = client.call<rpc::Pause>({.sweeps = options.sweeps,
                                              .devices = options.devices,
                                              .all = options.devices.empty() && options.all});
  if (!reply) return report_error(reply.error());
  for (const PausedSweep& sweep : reply->sweeps) {
    say("{} {}: {}; to continue: sweepctl resume {}\n",
        sweep.was_paused ? "already paused" : "paused", sweep.name, attempts_text(sweep),
        short_id(sweep.id));
  }
  for (const rpc::ChangedDevice& device : reply->devices) {
    say("{} {} ({}): nothing new starts on it; to continue: sweepctl resume --device {}\n",
        device.changed ? "paused" : "already paused", device.device, device.name, device.device);
  }
  if (reply->sweeps.empty() && reply->devices.empty())
    say("nothing to pause: no sweep is queued or running\n");
  return Exit::kOk;
}

}  // namespace

void add_pause(Command& app, Client& client) {
  auto options = std::make_shared<PauseOptions>();
  Command* command = app.add_subcommand("pause", "Pause a sweep or a device");
  add_pause_options(*command, *options, "every sweep that is queued or running now");
  command->footer(
      "Running attempts finish. The pause survives a restart. Attempts of a sweep that is not "
      "paused still start.\n"
      "Example: sweepctl pause lm-end-to-end\n"
      "         sweepctl pause --device cpu");
  command->callback([&client, options] {
    client.action = [&client, options] { return pause(client, *options); };
  });
}

}  // namespace sweepd
