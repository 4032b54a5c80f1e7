// Reads the JSON files of hyperfine, Google Benchmark and pytest-benchmark. Each throws
// std::runtime_error that says which benchmark is not as expected, and how. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "workloads/command/program_report.h"

namespace sweepd::command {

// A run that did not end with exit code 0 is left out, and a warning counts it.
std::vector<Report> read_hyperfine(const nlohmann::ordered_json& file);

// A benchmark that skipped itself is left out, and the fact `skipped` names it.
std::vector<Report> read_google_benchmark(const nlohmann::ordered_json& file);

std::vector<Report> read_pytest_benchmark(const nlohmann::ordered_json& file);

}  // namespace sweepd::command
