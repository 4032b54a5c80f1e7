#include "runner/wire/messages/try.h"
#include "runner/client/session/client.h"
#include "runner/client/session/start_daemon.h"
#include "runner/client/session/sweep_file.h"
#include "runner/wire/json_text.h"

namespace sweepd {
namespace {

Exit try_first(Client& client, const SweepFiles& named) {
  const auto files = read_sweep_files(client, named);
  if (!files) return report_error(files.error());
  if (files->size() != 1) {
    return report_error({ErrorCode::kInvalidArgument, "`try` takes one file"});
  }
  const SweepFile& file = files->front();
  const auto reply =
      client.call<rpc::Try>({file.text, file.shown, file.sets, file.folder, file.environment});
  if (!reply) return report_error(reply.error());
  return report_error(become_try(to_json_line(to_message(*reply))));
}

}  // namespace

void add_try(Command& app, Client& client) {
  auto files = std::make_shared<SweepFiles>();
  Command* command =
      app.add_subcommand("try", "Run a file's first trial and show what sweepd reads from it");
  add_sweep_file_options(*command, *files);
  command->footer(
      "The trial runs as in a sweep: the same environment, cores, timeout and passes.\n"
      "Shows the program's output; stores and queues nothing.\n"
      "Example: sweepctl try experiments/command/own_program.yaml --set steps=3");
  command->callback(
      [&client, files] { client.action = [&client, files] { return try_first(client, *files); }; });
}

}  // namespace sweepd
