// Asks the worker program questions that need no attempt: its workloads, the work of a trial. The
// daemon itself contains no workload.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/base/result.h"
#include "runner/base/units.h"
#include "runner/model/sweep/trial.h"

namespace sweepd {

// Returns the whole output of run_worker. kUnavailable also if it fails or takes longer than
// `limit`.
Result<std::string> ask_worker(const std::filesystem::path& worker, std::string_view option,
                               std::string_view input, Duration limit);

enum class Ask { kWork, kCode };

// Returns the line that asks `--work` for the work or the code of a trial. It has only the
// parameters that differ from the defaults, which the worker knows.
std::string work_question(const WorkloadDef& def, const Trial& trial, Ask ask = Ask::kWork);

// Returns the line that has `--work` read the output in an attempt's folder again
// (worker/journal/reread.h).
std::string reread_question(const std::filesystem::path& folder,
                            const std::vector<std::pair<std::string, std::string>>& reading);

// The first lines of a text, at most `most`, without one that is cut off.
std::vector<std::string> lines_of(std::string_view text, std::size_t most);

// Asks `--work` such questions and returns its lines, one for each of the `count` questions, in
// order. Errors as above, and kUnavailable if there are fewer.
Result<std::vector<std::string>> ask_work(const std::filesystem::path& worker,
                                          std::string_view questions, std::size_t count,
                                          Duration limit);

}  // namespace sweepd
