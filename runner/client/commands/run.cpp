#include "runner/client/commands/submitting.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"
#include "runner/client/watch/exit_message.h"

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
  return watch_and_print(client, *ids, options.format);
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
