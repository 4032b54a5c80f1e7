#include <fmt/format.h>

#include "runner/base/text.h"
#include "runner/client/document/measured_on.h"
#include "runner/client/document/sweep_results.h"
#include "runner/client/render/output.h"
#include "runner/client/study/write_document.h"
#include "runner/wire/messages/machine.h"
#include "runner/wire/messages/results.h"

namespace sweepd {

Result<DocumentChapter> how_measured(Client& client, const StudySource& source,
                                     const std::vector<StudyJob>& jobs, WhichResults which,
                                     StudyForm form) {
  const auto status = client.call<rpc::Status>({});
  if (!status) return status.error();
  std::vector<std::string> sweeps, others;
  std::int64_t total = 0, done = 0;
  for (const StudyJob& job : jobs) {
    for (const auto& [name, id] : job.sweeps) {
      sweeps.push_back(id);
      const auto shown = client.call<rpc::Show>({.what = id, .limit = 1});
      if (!shown) return shown.error();
      if (!shown->sweep) continue;
      const AttemptCounts& counts = shown->sweep->counts;
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
  chapter.blocks.push_back({fmt::format(
      "The whole document again: `sweepctl study {} --scale {}`. `sweepctl report SWEEP` "
      "has every table of a sweep; `sweepctl run` measures one by itself, with its file "
      "and the overrides that the study has for it.",
      study, scale)});
  return chapter;
}

}  // namespace sweepd
