#include "runner/daemon/formulas/work_of_trials.h"

#include <fmt/format.h>

#include <algorithm>

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
  const auto answers = ask_worker(worker, "--work", questions, kWorkLimit);
  if (!answers) return answers.error();
  std::vector<std::optional<WorkPerStep>> works;
  std::string_view rest = *answers;
  while (!rest.empty() && works.size() < trials.size()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    auto& work = works.emplace_back();
    const auto event = event_from_line(rest.substr(0, end), 0);
    if (event) {
      if (const auto* known = std::get_if<WorkEvent>(&*event)) work = known->work;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (works.size() == trials.size()) return works;
  return Error{ErrorCode::kUnavailable, fmt::format("`{} --work` answered {} of {} questions",
                                                    worker.string(), works.size(), trials.size())};
}

}  // namespace sweepd
