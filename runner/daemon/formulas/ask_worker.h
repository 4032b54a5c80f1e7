// Asks the worker program questions that need no attempt: its workloads, the work of a trial. The
// daemon itself contains no workload.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "runner/base/result.h"
#include "runner/base/units.h"
#include "runner/model/trial.h"

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

}  // namespace sweepd
