// Asks the worker program a question that needs no attempt: what it can measure, what work a trial
// is. The daemon itself knows no workload.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "runner/base/result.h"
#include "runner/base/units.h"
#include "runner/model/trial.h"

namespace sweepd {

// What `worker option` prints, given `input` on stdin. Blocks: at start, or on a reader thread.
// kUnavailable when it fails or takes longer than `limit`; it is killed then.
Result<std::string> ask_worker(const std::filesystem::path& worker, std::string_view option,
                               std::string_view input, Duration limit);

// The line that asks `--work` for the work of a trial. Only what differs from the defaults: the
// worker knows those.
std::string work_question(const WorkloadDef& def, const Trial& trial);

}  // namespace sweepd
