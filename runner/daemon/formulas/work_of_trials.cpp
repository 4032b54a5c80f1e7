#include "runner/daemon/formulas/work_of_trials.h"

#include "runner/daemon/formulas/ask_worker.h"
#include "runner/wire/event.h"

namespace sweepd {
namespace {

// Must be within the time limit of a query.
constexpr Duration kWorkLimit = seconds(20);

}  // namespace

Result<std::vector<std::optional<WorkPerStep>>> work_of_trials(
    const std::filesystem::path& worker, const WorkloadDef& def,
    const std::vector<const Trial*>& trials) {
  std::vector<AskedTrial> asked;
  asked.reserve(trials.size());
  for (const Trial* trial : trials) asked.push_back({&def, trial});
  return work_of_trials(worker, asked);
}

Result<std::vector<std::optional<WorkPerStep>>> work_of_trials(
    const std::filesystem::path& worker, const std::vector<AskedTrial>& trials) {
  std::string questions;
  for (const AskedTrial& asked : trials) questions += work_question(*asked.def, *asked.trial);
  const auto answers = ask_work(worker, questions, trials.size(), kWorkLimit);
  if (!answers) return answers.error();
  std::vector<std::optional<WorkPerStep>> works;
  for (const std::string& line : *answers) {
    auto& work = works.emplace_back();
    const auto event = event_from_line(line, 0);
    if (!event) continue;
    if (const auto* known = std::get_if<WorkEvent>(&*event)) work = known->work;
  }
  return works;
}

}  // namespace sweepd
