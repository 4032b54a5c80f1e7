// Reads the JSON files of hyperfine, Google Benchmark and pytest-benchmark. Each throws
// std::runtime_error that says which benchmark is not as expected, and how. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "workloads/command/program_report.h"

namespace sweepd::command {

// A run that did not end with exit code 0 is left out, and a warning counts it. Commands of equal
// names have the parameters of their list behind them.
std::vector<Report> read_hyperfine(const nlohmann::ordered_json& file);

// A benchmark that skipped itself is left out, and the fact `skipped` names it; one that had an
// error, too, with a warning. Of a benchmark without repetitions the mean is the only step, which
// the fact `only_means` says, and `std_time` the standard deviation.
std::vector<Report> read_google_benchmark(const nlohmann::ordered_json& file);

// Of a benchmark without rounds the mean is the only step, which the fact `only_means` says.
std::vector<Report> read_pytest_benchmark(const nlohmann::ordered_json& file);

}  // namespace sweepd::command
