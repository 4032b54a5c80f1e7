#include <fmt/format.h>

#include "runner/base/text.h"
#include "runner/client/document/measured_on.h"
#include "runner/client/document/sweep_results.h"
#include "runner/client/output.h"
#include "runner/client/study/write_document.h"
#include "runner/wire/messages/machine.h"
#include "runner/wire/messages/results.h"

namespace sweepd {
namespace {

// As a shell needs it. Overrides may contain anything.
std::string shell_word(const std::string& text) {
  const bool plain =
      text.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:%") ==
      std::string::npos;
  if (plain) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string command_of(const StudySource& source, const StudyJob& job) {
  std::string command = "sweepctl run " + shell_word(source.path_of(job.file));
  for (const std::string& set : job.set) command += " --set " + shell_word(set);
  return command;
}

}  // namespace

Result<DocumentChapter> how_measured(Client& client, const StudySource& source,
                                     const std::vector<StudyJob>& jobs, WhichResults which,
                                     StudyForm form) {
  const auto status = client.call<rpc::Status>({});
  if (!status) return status.error();
  std::string commands;
  std::vector<std::string> sweeps, others;
  std::int64_t total = 0, done = 0;
  for (const StudyJob& job : jobs) {
    commands += command_of(source, job) + "\n";
    for (const auto& [name, id] : job.sweeps) {
      sweeps.push_back(id);
      const auto shown = client.call<rpc::Show>({.what = id, .limit = 1});
      if (!shown) return shown.error();
      if (!shown->sweep) continue;
      const rpc::Counts& counts = shown->sweep->counts;
      total += counts.total;
      done += counts.done();
      if (counts.done() < counts.total) others.push_back(name + ": " + counts_in_words(counts));
    }
  }
  const std::string study = shell_word(source.file), scale = shell_word(source.study.scale);
  DocumentChapter chapter{"How this was measured", {}};
  chapter.blocks.push_back(
      {fmt::format("Written by sweepd {} ({}), at scale `{}` of `{}`.", status->version,
                   status->commit, source.study.scale, source.file)});
  auto where = measured_on(client, sweeps, which);
  if (!where) return where.error();
  chapter.blocks.push_back(std::move(*where));
  if (form == StudyForm::kShort) {
    chapter.blocks.push_back(
        {fmt::format("The long form: `sweepctl study {} --scale {}`", study, scale)});
    return chapter;
  }
  chapter.blocks.push_back(
      {others.empty() ? fmt::format("All {} attempts are done.", total)
                      : fmt::format("Of {} attempts, {} are done. The sweeps of the others: {}.",
                                    total, done, join(others, "; "))});
  chapter.blocks.push_back(
      {"`sweepctl report SWEEP` has every table of a sweep. The whole document "
       "again, or one sweep by itself:"});
  chapter.blocks.push_back(
      {fmt::format("```\nsweepctl study {} --scale {}\n{}```", study, scale, commands)});
  return chapter;
}

}  // namespace sweepd
