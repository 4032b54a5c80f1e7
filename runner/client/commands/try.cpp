#include <fmt/format.h>

#include "runner/base/say.h"
#include "runner/client/client.h"
#include "runner/client/output.h"
#include "runner/client/sweep_file.h"
#include "runner/client/temporary_folder.h"
#include "runner/client/try_run.h"
#include "runner/wire/messages/try.h"

namespace sweepd {
namespace {

Exit tell(const Understood& understood) {
  say("\n");
  if (understood.samples.empty()) {
    say("metrics: none\n");
  } else if (auto printed = print_tables({metrics_table(understood)}, "text"); !printed) {
    return report_error(printed.error());
  }
  for (const std::string& line : understood.memory) say("{}\n", line);
  for (const std::string& fact : understood.facts) say("fact {}\n", fact);
  say("outcome: {}{}{}\n", name_of(understood.outcome), understood.why.empty() ? "" : ": ",
      understood.why);
  return understood.outcome == Outcome::kDone ? Exit::kOk : Exit::kNotAllDone;
}

Exit try_first(Client& client, const SweepFiles& named) {
  const auto files = read_sweep_files(client, named);
  if (!files) return report_error(files.error());
  if (files->size() != 1) {
    return report_error({ErrorCode::kInvalidArgument, "`try` takes one file"});
  }
  const SweepFile& file = files->front();
  const auto folder = TemporaryFolder::make("try");
  if (!folder) return report_error(folder.error());
  const auto reply = client.call<rpc::Try>(
      {file.text, file.shown, file.sets, file.folder, file.environment, folder->path().string()});
  if (!reply) return report_error(reply.error());
  say("{}: the first of {} trials{}{}\n\n", reply->sweep, reply->trials,
      reply->trial.empty() ? "" : ", ", reply->trial);
  for (const std::string& warning : reply->warnings) say("! {}\n\n", warning);
  std::fflush(stdout);
  if (auto ran = run_in_foreground(reply->worker, folder->path(), reply->secrets); !ran) {
    return report_error(ran.error());
  }
  return tell(read_journal(folder->path()));
}

}  // namespace

void add_try(Command& app, Client& client) {
  auto files = std::make_shared<SweepFiles>();
  Command* command = app.add_subcommand(
      "try", "Run the first trial of a file here, and say what was understood of it");
  add_sweep_file_options(*command, *files);
  command->footer(
      "All output of the program is shown. Nothing is stored, and nothing waits for it.\n"
      "Example: sweepctl try experiments/command/own_program.yaml --set steps=3");
  command->callback(
      [&client, files] { client.action = [&client, files] { return try_first(client, *files); }; });
}

}  // namespace sweepd
