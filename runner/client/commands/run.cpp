#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "runner/client/commands/submitting.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"
#include "runner/client/watch/exit_message.h"
#include "runner/wire/messages/results.h"

namespace sweepd {
namespace {

struct RunOptions {
  SubmissionOptions submission;
  std::string format = "md";
};

// Progress goes to stderr, so that stdout has the tables only.
Exit run(Client& client, const RunOptions& options) {
  const ExitMessage at_interrupt("queued attempts still run; the same command waits for them");
  const auto ids = submit_sweeps(client, options.submission, stderr);
  if (!ids) return report_error(ids.error());
  const Exit ended = watch_sweeps(client, *ids);
  if (ended != Exit::kOk && ended != Exit::kNotAllDone) return ended;
  std::vector<Table> tables;
  for (const std::string& id : *ids) {
    auto reply = client.call<rpc::Report>({id, "", {}});
    if (!reply) return report_error(reply.error());
    const std::string rest = fmt::format("`sweepctl report {} --notes all`", reply->sweep.name);
    for (Table& table : reply->tables) {
      tables.push_back(with_chosen_notes(std::move(table), "few", options.format, rest));
    }
  }
  const auto printed = print_tables(tables, options.format);
  return printed ? ended : report_error(printed.error());
}

}  // namespace

void add_run(Command& app, Client& client) {
  auto options = std::make_shared<RunOptions>();
  Command* command = app.add_subcommand("run", "Run the sweeps of a file and print their tables");
  add_submission_options(*command, options->submission);
  add_format_option(*command, options->format);
  command->footer(
      "Ctrl-C ends the wait, not the sweep; the same command continues it.\n"
      "Example: sweepctl run lm.yaml --set model=tiny --set context=64 > tables.md");
  command->callback(
      [&client, options] { client.action = [&client, options] { return run(client, *options); }; });
}

}  // namespace sweepd
