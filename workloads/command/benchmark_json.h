// Shared by the readers of benchmarks' JSON: its members, and the phases of the benchmarks in one
// file. Functions that throw do so like refuse_report. Pure.
#pragma once

#include <map>
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

// A phase's name for a benchmark's: "BM_Sort/1024" is "bm_sort.1024".
std::string phase_name(std::string_view benchmark);

// One benchmark is the whole step; each of several is a phase that is named like it. Where several
// would have one name ("BM_a<int>" and "BM_a(int)", or equal in their first 64 letters), each gets
// four digits of the hash of its own name: "bm_a_int__1c2e". A run with fewer benchmarks may not
// need them, so a fact says whose they are.
class BenchmarkPhases {
 public:
  // Names that occur twice count once.
  explicit BenchmarkPhases(std::string_view format, const std::vector<std::string>& benchmarks);

  const std::string& of(const std::string& benchmark) const { return phases_.at(benchmark); }
  // `phase.NAME`: the benchmark whose phase has digits.
  std::vector<Report> facts() const;

 private:
  std::map<std::string, std::string> phases_;  // by benchmark
  std::vector<std::string> with_digits_;       // benchmarks
};

}  // namespace sweepd::command
