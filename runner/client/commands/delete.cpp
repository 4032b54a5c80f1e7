#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "runner/base/say.h"
#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"
#include "runner/wire/messages/upkeep.h"

namespace sweepd {
namespace {

struct DeleteOptions {
  std::vector<std::string> sweeps;
  std::string older;
  std::int64_t keep_last = 0;
  bool dry_run = false, yes = false;
};

void print_counts(const rpc::Delete::Reply& reply, const char* verb) {
  say("{} {}: {} with {} and {}\n", verb,
      counted(static_cast<std::int64_t>(reply.sweeps.size()), "sweep"),
      counted(reply.trials, "trial"), counted(reply.attempts, "attempt"),
      counted(reply.samples, "sample"));
  if (reply.trials_kept > 0) {
    say("{} stay with all their results, because another sweep has them\n",
        counted(reply.trials_kept, "trial"));
  }
}

void print_sweeps(const rpc::Delete::Reply& reply) {
  for (const SweepRow& sweep : reply.sweeps) {
    say("  {}  {}  {}, {}\n", short_id(sweep.id), local_time(sweep.submitted.ns), sweep.name,
        counted(sweep.trials, "trial"));
  }
  for (const SweepRow& sweep : reply.open) {
    say("  left out: {} ({}) has not ended\n", sweep.name, short_id(sweep.id));
  }
}

// Asks on the terminal whether to delete.
Result<bool> confirmed(const DeleteOptions& options) {
  if (options.yes) return true;
  if (::isatty(STDIN_FILENO) == 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "standard input is not a terminal: pass --yes to delete"};
  }
  say("Delete? [y/N] ");
  std::fflush(stdout);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

Exit delete_sweeps(Client& client, const DeleteOptions& options) {
  rpc::Delete::Request request;
  request.sweeps = options.sweeps;
  request.keep_last = options.keep_last;
  request.dry_run = true;
  if (!options.older.empty()) {
    const auto older = parse_duration(options.older);
    if (!older)
      return report_error({ErrorCode::kInvalidArgument, "--older: " + older.error().message});
    request.older_ns = older->ns;
  }
  const auto preview = client.call<rpc::Delete>(request);
  if (!preview) return report_error(preview.error());
  print_sweeps(*preview);
  if (preview->sweeps.empty()) {
    say("nothing to delete\n");
    return Exit::kOk;
  }
  print_counts(*preview, options.dry_run ? "would delete" : "to delete");
  if (options.dry_run) return Exit::kOk;
  const auto go_on = confirmed(options);
  if (!go_on) return report_error(go_on.error());
  if (!*go_on) {
    say("nothing was deleted\n");
    return Exit::kOk;
  }
  // By id: exactly what was shown, whatever was submitted meanwhile.
  rpc::Delete::Request shown;
  for (const SweepRow& sweep : preview->sweeps) shown.sweeps.push_back(sweep.id);
  const auto reply = client.call<rpc::Delete>(shown);
  if (!reply) return report_error(reply.error());
  print_counts(*reply, "deleted");
  if (reply->folders_left > 0) {
    return report_error(
        {ErrorCode::kIo, fmt::format("{} of attempts could not be removed: {}",
                                     counted(reply->folders_left, "folder"), reply->why_left)});
  }
  return Exit::kOk;
}

}  // namespace

void add_delete(Command& app, Client& client) {
  auto options = std::make_shared<DeleteOptions>();
  Command* command =
      app.add_subcommand("delete", "Delete sweeps with the results that no other sweep uses");
  command->add_option("SWEEP", options->sweeps,
                      "names (of each its latest sweep), ids or unique prefixes of ids");
  command->add_option("--older", options->older,
                      "all that were submitted longer ago, such as 90d; not with SWEEP");
  command->add_option("--keep-last", options->keep_last,
                      "all but this many of each name; with --older, both must apply");
  command->add_flag("--dry-run", options->dry_run, "only list the sweeps to delete");
  command->add_flag("--yes", options->yes, "do not ask");
  command->footer(
      "Lists the sweeps and asks before it deletes. Trials that another sweep has keep their "
      "results. Open sweeps\n"
      "are not deleted. The database file does not shrink; new results reuse the space.\nExample: "
      "sweepctl delete --older 90d --keep-last 3 --dry-run");
  command->callback([&client, options] {
    client.action = [&client, options] { return delete_sweeps(client, *options); };
  });
}

}  // namespace sweepd
