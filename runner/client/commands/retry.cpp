#include <fmt/format.h>

#include "runner/base/say.h"
#include "runner/base/text.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"
#include "runner/client/watch/exit_message.h"
#include "runner/client/watch/watching.h"
#include "runner/model/attempt/verdict.h"
#include "runner/model/vocabulary/outcome.h"
#include "runner/wire/messages/queue.h"

namespace sweepd {
namespace {

struct RetryOptions {
  std::string sweep;
  std::vector<std::string> which;
  bool insist = false;
  bool wait = false;
};

Exit retry(Client& client, const RetryOptions& options) {
  const ExitMessage at_interrupt("queued attempts still run; see: sweepctl list");
  const auto reply = client.call<rpc::Retry>({options.sweep, options.which, options.insist});
  if (!reply) return report_error(reply.error());
  if (reply->queued == 0) {
    say("{} has nothing to run again\n", reply->name);
  } else {
    say("retrying {} of {}{}\n", counted(reply->queued, "attempt"), reply->name,
        reply->paused ? "; it is paused, so they wait for: sweepctl resume " +
                            std::string(short_id(reply->sweep))
                      : "");
  }
  if (reply->left_out > 0) {
    say("{} left out: {}; to try all the same: sweepctl retry {} --insist\n",
        counted(reply->left_out, "attempt"), reply->left_out_because, short_id(reply->sweep));
  }
  std::fflush(stdout);
  return options.wait ? watch_sweep(client, reply->sweep) : Exit::kOk;
}

}  // namespace

void add_retry(Command& app, Client& client) {
  auto options = std::make_shared<RetryOptions>();
  Command* command = app.add_subcommand("retry", "Rerun the attempts of a sweep that are not done");
  command->add_option("SWEEP", options->sweep, "name, id or unique prefix of an id")->required();
  command
      ->add_option("--only", options->which,
                   fmt::format("only attempts with these outcomes or verdicts: {} [default: {}]",
                               join(retry_words(), ", "), join(problem_words(), ", ")))
      ->delimiter(',');
  command->add_flag("--insist", options->insist,
                    "also trials that are skipped after three crashes; resets their count");
  command->add_flag("--wait", options->wait, "wait until every trial has ended");
  command->footer("Example: sweepctl retry lm-end-to-end --only timeout,crashed");
  command->callback([&client, options] {
    client.action = [&client, options] { return retry(client, *options); };
  });
}

}  // namespace sweepd
