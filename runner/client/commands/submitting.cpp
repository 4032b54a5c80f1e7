#include "runner/client/commands/submitting.h"

#include <fmt/format.h>

#include "runner/base/printable.h"
#include "runner/base/say.h"
#include "runner/base/units.h"
#include "runner/client/render/output.h"
#include "runner/client/render/plan_view.h"
#include "runner/client/watch/watching.h"
#include "runner/wire/messages/results.h"

namespace sweepd {
namespace {

std::string counts_text(const SubmittedSweep& sweep) {
  std::string text = fmt::format("{}: {} to run", counted(sweep.trials, "trial"),
                                 with_thousands(sweep.attempts_queued));
  if (sweep.changes.attempts != 0) text += fmt::format(" ({})", changes_text(sweep.changes));
  if (sweep.attempts_reused != 0) {
    text += fmt::format(", {} reused (measured before)", with_thousands(sweep.attempts_reused));
    if (sweep.attempts_to_reread != 0) {
      text += fmt::format(", {} of them read with other patterns (sweepctl reread {})",
                          with_thousands(sweep.attempts_to_reread), printable(sweep.name));
    }
  }
  if (sweep.attempts_joined != 0)
    text += fmt::format(", {} already queued", with_thousands(sweep.attempts_joined));
  if (sweep.attempts_released != 0) {
    text += fmt::format(" ({} of a paused sweep, which now start)",
                        with_thousands(sweep.attempts_released));
  }
  if (sweep.attempts_skipped != 0) {
    text += fmt::format(", {} left out ({}; to try: sweepctl retry {} --insist)",
                        with_thousands(sweep.attempts_skipped), sweep.skipped_because,
                        short_id(sweep.id));
  }
  if (sweep.excluded != 0) text += fmt::format(", {} excluded", counted(sweep.excluded, "point"));
  if (sweep.duplicates != 0) {
    text += fmt::format(", {} the same as another", counted(sweep.duplicates, "point"));
  }
  return text;
}

}  // namespace

void add_submission_options(Command& command, SubmissionOptions& submission) {
  add_sweep_file_options(command, submission.files);
  command.add_flag("--again", submission.again,
                   "measure everything again: the same as --reuse none");
  command
      .add_option(
          "--reuse", submission.reuse,
          "earlier results to reuse: those of the `same` code and machine, `any`, or `none`")
      ->one_of({"same", "any", "none"})
      ->capture_default_str();
  command
      .add_option("--notify", submission.notify,
                  "when the sweep has ended, the daemon runs this with /bin/sh, with a summary on "
                  "stdin and in SWEEPD_SWEEP, SWEEPD_DONE, SWEEPD_FAILED and others")
      ->type_name("COMMAND");
}

Result<std::vector<std::string>> submit_sweeps(Client& client, const SubmissionOptions& submission,
                                               std::FILE* lines) {
  if (submission.again && submission.reuse == "any") {
    return Error{ErrorCode::kInvalidArgument,
                 "--again and --reuse any contradict each other: expected one of them"};
  }
  const auto files = read_sweep_files(client, submission.files);
  if (!files) return files.error();
  return submit_files(client, *files, submission, lines);
}

Result<std::vector<std::string>> submit_files(Client& client, const std::vector<SweepFile>& files,
                                              const SubmissionOptions& submission,
                                              std::FILE* lines) {
  std::vector<std::string> ids;
  for (const SweepFile& file : files) {
    rpc::Submit::Request request = file.submit();
    request.reuse = submission.again ? "none" : submission.reuse;
    request.notify = submission.notify;
    const auto reply = client.call<rpc::Submit>(request);
    if (!reply) return reply.error();
    for (const SubmittedSweep& sweep : reply->sweeps) {
      say(lines, "sweep {} {}: {}\n", short_id(sweep.id), sweep.name, counts_text(sweep));
      ids.push_back(sweep.id);
    }
  }
  std::fflush(lines);
  return ids;
}

Exit watch_sweeps(Client& client, const std::vector<std::string>& ids) {
  Exit worst = Exit::kOk;
  for (const std::string& id : ids) {
    const Exit exit = watch_sweep(client, id);
    if (exit != Exit::kOk) worst = exit;
    if (exit == Exit::kInterrupted) break;
  }
  return worst;
}

Exit watch_and_print(Client& client, const std::vector<std::string>& ids, const std::string& format,
                     TablesOf which) {
  const Exit ended = watch_sweeps(client, ids);
  if (ended != Exit::kOk && ended != Exit::kNotAllDone) return ended;
  std::vector<Table> tables;
  for (const std::string& id : ids) {
    auto reply = client.call<rpc::Report>({id, "", {}});
    if (!reply) return report_error(reply.error());
    if (which == TablesOf::kResults && reply->sweep.counts.done() == 0) continue;
    const std::string rest = fmt::format("`sweepctl report {} --notes all`", reply->sweep.name);
    for (Table& table : reply->tables) {
      tables.push_back(with_chosen_notes(std::move(table), "few", format, rest));
    }
  }
  if (tables.empty() && which == TablesOf::kResults) return ended;
  const auto printed = print_tables(tables, format);
  return printed ? ended : report_error(printed.error());
}

}  // namespace sweepd
