#include <fmt/format.h>

#include "runner/base/units.h"
#include "runner/client/changes_view.h"
#include "runner/client/client.h"
#include "runner/client/output.h"
#include "runner/client/sweep_file.h"
#include "runner/client/watching.h"

namespace sweepd {
namespace {

struct SubmitOptions {
  SweepFiles sweep;
  bool wait = false, again = false;
  std::string reuse = "same";
};

std::string counts_text(const rpc::SubmittedSweep& sweep) {
  std::string text =
      fmt::format("{}: {} to run", counted(sweep.trials, "trial"), with_thousands(sweep.queued));
  if (sweep.changes.attempts != 0) text += fmt::format(" ({})", changes_text(sweep.changes));
  if (sweep.reused != 0) {
    text += fmt::format(", {} reused (measured before)", with_thousands(sweep.reused));
  }
  if (sweep.joined != 0) text += fmt::format(", {} already queued", with_thousands(sweep.joined));
  if (sweep.excluded != 0) text += fmt::format(", {} excluded", counted(sweep.excluded, "point"));
  if (sweep.duplicates != 0) {
    text += fmt::format(", {} the same as another", counted(sweep.duplicates, "point"));
  }
  return text;
}

Exit submit(Client& client, const SubmitOptions& options) {
  if (options.again && options.reuse == "any") {
    return report_error({ErrorCode::kInvalidArgument,
                         "--again and --reuse any contradict each other: expected one of them"});
  }
  const auto files = read_sweep_files(client, options.sweep);
  if (!files) return report_error(files.error());
  std::vector<std::string> ids;
  for (const SweepFile& file : *files) {
    rpc::Submit::Request request = file.submit();
    request.reuse = options.again ? "none" : options.reuse;
    const auto reply = client.call<rpc::Submit>(request);
    if (!reply) return report_error(reply.error());
    for (const rpc::SubmittedSweep& sweep : reply->sweeps) {
      fmt::print("sweep {} {}: {}\n", short_id(sweep.id), sweep.name, counts_text(sweep));
      ids.push_back(sweep.id);
    }
  }
  std::fflush(stdout);
  if (!options.wait) {
    if (!ids.empty()) fmt::print("watch it with: sweepctl watch {}\n", short_id(ids.back()));
    return Exit::kOk;
  }
  Exit worst = Exit::kOk;
  for (const std::string& id : ids) {
    const Exit exit = watch_sweep(client, id);
    if (exit != Exit::kOk) worst = exit;
    if (exit == Exit::kInterrupted) break;
  }
  return worst;
}

}  // namespace

void add_submit(Command& app, Client& client) {
  auto options = std::make_shared<SubmitOptions>();
  Command* command = app.add_subcommand(
      "submit", "Queue the sweeps of a file; what was measured before is reused");
  add_sweep_file_options(*command, options->sweep);
  command->add_flag("--wait", options->wait, "wait until every trial has ended");
  command->add_flag("--again", options->again,
                    "measure everything again: the same as --reuse none");
  command
      ->add_option(
          "--reuse", options->reuse,
          "which results from before count: those of the `same` code on this machine as it is "
          "now, `any`, or `none`")
      ->one_of({"same", "any", "none"})
      ->capture_default_str();
  command->footer("Example: sweepctl submit lm.yaml --set model=tiny --set context=64,128 --wait");
  command->callback([&client, options] {
    client.action = [&client, options] { return submit(client, *options); };
  });
}

}  // namespace sweepd
