// Asks the worker program questions that need no attempt: its workloads, the work of a trial. The
// daemon itself contains no workload, so only that program has formulas and knows a program's code.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"
#include "runner/base/units.h"
#include "runner/model/trial.h"
#include "runner/model/work.h"

namespace sweepd {

// Returns the output of `worker option` with `input` on stdin. Blocks: call at start, or on a
// reader thread. kUnavailable if it fails or takes longer than `limit`, when it is killed.
Result<std::string> ask_worker(const std::filesystem::path& worker, std::string_view option,
                               std::string_view input, Duration limit);

enum class Ask { kWork, kCode };

// Returns the line that asks `--work` for the work or the code of a trial. It has only the
// parameters that differ from the defaults, which the worker knows.
std::string work_question(const WorkloadDef& def, const Trial& trial, Ask ask = Ask::kWork);

// Returns the line that has `--work` read the output in an attempt's folder again
// (worker/reread.h).
std::string reread_question(const std::filesystem::path& folder,
                            const std::vector<std::pair<std::string, std::string>>& reading);

// Asks `--work` such questions and returns its lines, one for each of the `count` questions, in
// order. Errors as above, and kUnavailable if there are fewer.
Result<std::vector<std::string>> ask_work(const std::filesystem::path& worker,
                                          std::string_view questions, std::size_t count,
                                          Duration limit);

// Returns the content of trials beside their parameters, such as a program's code: the value of
// their computed parameter (ParamDef::computed), one per trial, in order. An error is the worker's
// own, such as a file that cannot be read. Blocks: for a reader thread.
Result<std::vector<std::string>> code_of_trials(const std::filesystem::path& worker,
                                                const WorkloadDef& def,
                                                const std::vector<const Trial*>& trials);

// The work of trials by their workload's formulas.
struct AskedTrial {
  const WorkloadDef* def;
  const Trial* trial;
};

// Returns one result per trial, in order; empty if its formulas reject the parameters. Uses one
// process for all. Blocks: for a reader thread.
Result<std::vector<std::optional<WorkPerStep>>> work_of_trials(
    const std::filesystem::path& worker, const std::vector<AskedTrial>& trials);
Result<std::vector<std::optional<WorkPerStep>>> work_of_trials(
    const std::filesystem::path& worker, const WorkloadDef& def,
    const std::vector<const Trial*>& trials);

}  // namespace sweepd
