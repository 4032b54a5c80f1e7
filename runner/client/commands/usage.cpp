#include "runner/client/render/output.h"
#include "runner/client/session/client.h"
#include "runner/wire/messages/upkeep.h"

namespace sweepd {
namespace {

Exit usage(Client& client, const std::string& format) {
  const auto reply = client.call<rpc::Usage>({});
  if (!reply) return report_error(reply.error());
  const auto printed = print_tables({reply->sweeps, reply->database}, format);
  return printed ? Exit::kOk : report_error(printed.error());
}

}  // namespace

void add_usage(Command& app, Client& client) {
  auto format = std::make_shared<std::string>("text");
  Command* command =
      app.add_subcommand("usage", "Show the disk space of each sweep and of the database");
  add_format_option(*command, *format);
  command->footer("Example: sweepctl usage; then make room: sweepctl delete --older 90d --dry-run");
  command->callback(
      [&client, format] { client.action = [&client, format] { return usage(client, *format); }; });
}

}  // namespace sweepd
