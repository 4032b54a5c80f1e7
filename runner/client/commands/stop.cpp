#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "runner/base/say.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"
#include "runner/wire/messages/machine.h"

namespace sweepd {
namespace {

// The connection ends before the daemon has closed its database and removed its socket. It releases
// the lock last. Whoever copies the state folder after `stop` must find it complete.
void wait_until_gone(const StateFolder& state) {
  for (int tries = 0; lock_holder(state) && tries < 500; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

Exit stop(Client& client, bool now) {
  // `stop` must not start a daemon only to stop it.
  client.no_start = true;
  const auto reply = client.call<rpc::Stop>({now});
  if (!reply && reply.error().code == ErrorCode::kUnavailable) {
    say("no daemon runs\n");
    return Exit::kOk;
  }
  if (!reply) return report_error(reply.error());
  const auto connection = client.connection();
  const std::string elsewhere =
      reply->elsewhere == 0
          ? ""
          : fmt::format("{} in clusters continue, and ", counted(reply->elsewhere, "attempt"));
  if (now) {
    wait_until_gone(client.state());
    say("stopped; {}{} running and {} queued wait for the next daemon\n", elsewhere,
        counted(reply->running, "attempt"), reply->queued);
    return Exit::kOk;
  }
  if (reply->running > 0) {
    say("waiting for {} to end; to leave it running: Ctrl-C, then sweepctl stop --now\n",
        counted(reply->running, "attempt"));
  }
  std::fflush(stdout);
  // The daemon sends nothing more; the connection ends with it.
  while (connection && (*connection)->next_notification()) {
  }
  wait_until_gone(client.state());
  say("stopped; {}{} queued wait for the next daemon\n", elsewhere, reply->queued);
  return Exit::kOk;
}

}  // namespace

void add_stop(Command& app, Client& client) {
  auto now = std::make_shared<bool>(false);
  Command* command =
      app.add_subcommand("stop", "Stop the daemon; queued attempts wait for the next one");
  command->add_flag("--now", *now, "do not wait for running attempts: the next daemon adopts them");
  command->footer("Example: sweepctl stop");
  command->callback(
      [&client, now] { client.action = [&client, now] { return stop(client, *now); }; });
}

}  // namespace sweepd
