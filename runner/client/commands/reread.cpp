#include <fmt/format.h>

#include "runner/base/say.h"
#include "runner/base/text.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"
#include "runner/wire/messages/queue.h"

namespace sweepd {
namespace {

Exit reread(Client& client, const std::string& sweep) {
  const auto reply = client.call<rpc::Reread>({sweep});
  if (!reply) return report_error(reply.error());
  say("read the output of {} of {} again", counted(reply->read, "attempt"), reply->name);
  if (reply->same > 0) say("; {} had been read so already", reply->same);
  say("\n");
  if (reply->left == 0) return Exit::kOk;
  return report_error({ErrorCode::kFailedPrecondition,
                       fmt::format("{} kept the old figures: {}", counted(reply->left, "attempt"),
                                   reply->why_left)});
}

}  // namespace

void add_reread(Command& app, Client& client) {
  auto sweep = std::make_shared<std::string>();
  Command* command =
      app.add_subcommand("reread", "Read stored output again after its patterns or map changed");
  command->add_option("SWEEP", *sweep, "name, id or unique prefix of an id")->required();
  command->footer(
      "`patterns`, and `file` and `map` of `reports`, are no part of a trial, so submitting a file "
      "with others\nmeasures nothing again. This reads the programs' output and files, by the "
      "sweep file\nthat was submitted last. Figures that programs reported themselves stay.\n"
      "Example: sweepctl reread my-gpt");
  command->callback(
      [&client, sweep] { client.action = [&client, sweep] { return reread(client, *sweep); }; });
}

}  // namespace sweepd
