#include <fmt/format.h>

#include "runner/base/say.h"
#include "runner/client/commands/submitting.h"
#include "runner/client/session/client.h"
#include "runner/client/watch/exit_message.h"

namespace sweepd {
namespace {

struct SubmitOptions {
  SubmissionOptions submission;
  bool wait = false;
};

Exit submit(Client& client, const SubmitOptions& options) {
  const ExitMessage at_interrupt("queued attempts still run; the same command waits for them");
  const auto ids = submit_sweeps(client, options.submission, stdout);
  if (!ids) return report_error(ids.error());
  if (options.wait) return watch_sweeps(client, *ids);
  if (!ids->empty()) say("watch it with: sweepctl watch {}\n", short_id(ids->back()));
  return Exit::kOk;
}

}  // namespace

void add_submit(Command& app, Client& client) {
  auto options = std::make_shared<SubmitOptions>();
  Command* command =
      app.add_subcommand("submit", "Queue the sweeps of a file; earlier results are reused");
  add_submission_options(*command, options->submission);
  command->add_flag("--wait", options->wait, "wait until every trial has ended");
  command->footer("Example: sweepctl submit lm.yaml --set model=tiny --set context=64,128 --wait");
  command->callback([&client, options] {
    client.action = [&client, options] { return submit(client, *options); };
  });
}

}  // namespace sweepd
