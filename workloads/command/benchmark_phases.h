// The phases of the benchmarks in one file.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/command/program_report.h"

namespace sweepd::command {

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
