#include "runner/daemon/formulas/work_of_trials.h"

#include <fmt/format.h>

#include "runner/daemon/formulas/ask_worker.h"
#include "runner/daemon/formulas/run_worker.h"
#include "runner/wire/attempt_folder.h"
#include "runner/wire/event.h"
#include "runner/wire/json_text.h"
#include "runner/wire/message.h"

namespace sweepd {
namespace {

// Must be within the time limit of a query.
constexpr Duration kWorkLimit = seconds(20);
// Of one process, if the result is not for a query. A trial takes some 200 µs on an idle machine.
constexpr Duration kMorePerAnswer{1'000'000};
constexpr int kMostSilent = 3;  // processes without an answer

struct FormulaMistake {
  std::string error;
  static void visit(auto& self, auto&& field) { field("error", self.error, "", Sparse()); }
};

FormulaResult result_from(const std::string& line) {
  if (auto event = event_from_line(line, 0)) {
    if (auto* known = std::get_if<WorkEvent>(&*event)) {
      return {{Done{"computed"}, 0}, std::move(known->work)};
    }
  }
  FormulaMistake mistake;
  if (!from_message(parse_json(line), mistake) || mistake.error.empty()) {
    mistake.error = "the worker gave no answer: " + line.substr(0, 200);
  }
  return {{Failed{std::move(mistake.error), ""}, 0}, std::nullopt};
}

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

Result<std::vector<FormulaResult>> results_of_trials(const std::filesystem::path& worker,
                                                     const std::vector<AskedTrial>& trials,
                                                     Duration limit) {
  std::vector<FormulaResult> results;
  bool has_answered = false;
  for (int silent = 0; results.size() < trials.size();) {
    const std::size_t left = trials.size() - results.size();
    std::string questions;
    for (std::size_t i = results.size(); i < trials.size(); ++i) {
      questions += work_question(*trials[i].def, *trials[i].trial);
    }
    const Duration whole{limit.ns + kMorePerAnswer.ns * static_cast<std::int64_t>(left)};
    const auto run = run_worker(worker, "--work", questions, whole);
    if (!run) {
      return Error{ErrorCode::kUnavailable, worker.string() + ": " + run.error().message};
    }
    const auto lines = lines_of(run->text, left);
    for (const std::string& line : lines) results.push_back(result_from(line));
    if (lines.size() == left) break;
    has_answered |= !lines.empty();
    const bool not_loaded = run->exit_code == kExitNotLoaded && lines.empty();
    if (not_loaded || (!has_answered && ++silent == kMostSilent)) {
      return Error{ErrorCode::kUnavailable,
                   fmt::format("`{} --work`: {}", worker.string(), how_it_ended(*run))};
    }
    const bool hung = !run->signal && !run->exit_code;
    results.push_back(
        {hung ? Ending{Timeout{whole, ""}, 0} : Ending{Crashed{run->signal, run->exit_code, ""}, 0},
         std::nullopt});
  }
  return results;
}

}  // namespace sweepd
