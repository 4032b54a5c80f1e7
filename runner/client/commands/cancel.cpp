#include <fmt/format.h>

#include "runner/base/say.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"
#include "runner/wire/messages/queue.h"

namespace sweepd {
namespace {

Exit cancel(Client& client, const std::string& sweep) {
  const auto reply = client.call<rpc::Cancel>({sweep});
  if (!reply) return report_error(reply.error());
  if (reply->cancelled + reply->stopping == 0) {
    say("{} had nothing queued or running\n", reply->name);
  } else {
    say("cancelled {}: ended {}, stopping {}\n", reply->name,
        counted(reply->cancelled, "queued attempt"), counted(reply->stopping, "running attempt"));
  }
  return Exit::kOk;
}

}  // namespace

void add_cancel(Command& app, Client& client) {
  auto sweep = std::make_shared<std::string>();
  Command* command = app.add_subcommand("cancel", "Cancel a sweep; its results so far are kept");
  command->add_option("SWEEP", *sweep, "name, id or unique prefix of an id")->required();
  command->footer("Example: sweepctl cancel lm-end-to-end");
  command->callback(
      [&client, sweep] { client.action = [&client, sweep] { return cancel(client, *sweep); }; });
}

}  // namespace sweepd
