#include <fmt/format.h>

#include "runner/base/say.h"
#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"
#include "runner/wire/messages/upkeep.h"

namespace sweepd {
namespace {

Exit back_up_database(Client& client, const std::string& file, bool replace) {
  const auto path = std::filesystem::absolute(file).lexically_normal();
  const auto reply = client.call<rpc::Backup>({path, replace});
  if (!reply) return report_error(reply.error());
  say("backed up {} with {} to {} ({})\n", counted(reply->sweeps, "sweep"),
      counted(reply->attempts, "attempt"), path.string(), to_human(Bytes{reply->size_bytes}));
  return Exit::kOk;
}

}  // namespace

void add_backup(Command& app, Client& client) {
  auto file = std::make_shared<std::string>();
  auto replace = std::make_shared<bool>(false);
  Command* command = app.add_subcommand("backup", "Copy the database while measurements continue");
  command->add_option("FILE", *file, "the copy")->required();
  command->add_flag("--force", *replace, "replace an existing file");
  command->footer(
      "The copy has every result. Logs, traces and journals stay in the state folder's runs/.\n"
      "Keep it outside the state folder.\n"
      "Example: sweepctl backup results-monday.db; then look at it: sweepctl --db "
      "results-monday.db "
      "list");
  command->callback([&client, file, replace] {
    client.action = [&client, file, replace] { return back_up_database(client, *file, *replace); };
  });
}

}  // namespace sweepd
