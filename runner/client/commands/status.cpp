#include <fmt/format.h>

#include "runner/base/say.h"
#include "runner/base/units.h"
#include "runner/client/render/places_view.h"
#include "runner/client/session/client.h"
#include "runner/client/watch/progress_view.h"
#include "runner/wire/messages/machine.h"

namespace sweepd {
namespace {

Exit status(Client& client) {
  const auto reply = client.call<rpc::Status>({});
  if (!reply) return report_error(reply.error());
  say("sweepd {} ({}), pid {}\n", reply->version, reply->commit, reply->pid);
  say("database {}\n", reply->database);
  const std::string held = reply->held == 0 ? "" : fmt::format(" ({} of them paused)", reply->held);
  say("{} queued{}, {} running\n", reply->queued, held, reply->running.size());
  if (!reply->paused_devices.empty()) {
    say("{}\n", paused_devices_line(reply->paused_devices));
  }
  for (const rpc::OutOfServiceEntry& device : reply->out_of_service) {
    say("{}\n", out_of_service_line(device));
  }
  for (const RunningAttempt& run : reply->running) {
    say("  {} {} pass, {} for {}{}: {}\n", short_id(run.id), name_of(run.pass), moment_text(run),
        to_human(run.elapsed), where_text(run), run.label);
  }
  for (const GivenAttempt& given : reply->given) {
    say("  {} {} pass, {}, for {}: {}\n", short_id(given.id), name_of(given.pass),
        waits_text(given), to_human(given.waited), given.label);
  }
  if (!reply->trouble.empty()) say("{}\n", trouble_line(reply->trouble));
  return Exit::kOk;
}

}  // namespace

void add_status(Command& app, Client& client) {
  Command* command = app.add_subcommand("status", "Show the daemon and its running attempts");
  command->footer("Example: sweepctl status");
  command->callback([&client] { client.action = [&client] { return status(client); }; });
}

}  // namespace sweepd
