// What the observer of `observe: torch` (experiments/scripts/observe) leaves in the attempt's
// folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "workloads/api/self_timed.h"

namespace sweepd::command {

// Reports the profiled steps, and what bounds the second if it ran on a GPU. False: the program did
// not get as far. Throws as `read_observed` does.
bool report_observed(Findings& findings, const std::filesystem::path& folder, int rank);

// Reads the traces of the two profiled steps and keeps the second as `trace_file`. Nothing: the
// program did not get as far. Throws std::runtime_error if one is no trace.
std::optional<ObservedSteps> read_observed(const std::filesystem::path& folder, int rank);

std::string trace_file(int rank);

// What bounds the stored step, from the kept trace: the metrics of runner/trace/profile_rows.h.
// Empty without work of a device.
std::vector<Sample> observed_bounds(const std::filesystem::path& folder, int rank);

// Why no step was observed: the observer's own `failure`, or what was missing.
std::string not_observed(bool imported_torch, const std::string& failure);

}  // namespace sweepd::command
