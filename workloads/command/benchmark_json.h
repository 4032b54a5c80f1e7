// Shared by the readers of benchmarks' JSON. Functions that throw do so like refuse_report. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/command/program_report.h"

namespace sweepd::command {

using BenchmarkJson = nlohmann::ordered_json;

// The list `name` of the file, which must not be empty.
const BenchmarkJson& list_in(std::string_view format, const BenchmarkJson& file, const char* name);

// The number `name` of a benchmark.
double number_of(std::string_view format, const std::string& benchmark, const BenchmarkJson& object,
                 const char* name);

// The list `name` of a benchmark, whose times are in `unit` ms (1e3: seconds), as ms.
std::vector<double> ms_in_list(std::string_view format, const std::string& benchmark,
                               const BenchmarkJson& list, const char* name, double unit = 1e3);

std::string text_or(const BenchmarkJson& object, const char* name, std::string otherwise);

// Whether it is true, or the text "true".
bool is_true(const BenchmarkJson& object, const char* name);

// A value in a message.
std::string shown_json(const BenchmarkJson& value);

// The fact `only_means`: benchmarks whose one step is the mean of repetitions that the file does
// not have.
FactReport only_means_of(const std::vector<std::string>& benchmarks);

}  // namespace sweepd::command
