// What the observer of `observe: torch` (experiments/scripts/observe) leaves in the attempt's
// folder.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workloads/api/self_timed.h"
#include "workloads/command/program_report.h"

namespace sweepd::command {

// Reports the profiled steps. False: the program did not get as far. Throws as `read_observed`
// does.
bool report_observed(Findings& findings, const std::filesystem::path& folder, int rank);

// Reads the traces of the two profiled steps and keeps the second as `trace_file`. Nothing: the
// program did not get as far. Throws std::runtime_error if one is no trace.
std::optional<ObservedSteps> read_observed(const std::filesystem::path& folder, int rank);

std::string trace_file(int rank);

// Why no step was observed, by the observer's facts.
std::string not_observed(const std::map<std::string, FactReport>& facts);

}  // namespace sweepd::command
