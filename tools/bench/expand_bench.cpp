// Expands a million points from their axes and measures the time and the memory.
//   expand_bench [SIDE]     the number of values of each of three axes
#include <sys/resource.h>

#include <cstdlib>
#include <iterator>

#include "runner/base/clock.h"
#include "runner/base/host.h"
#include "runner/base/units.h"
#include "runner/model/sweep/run_params.h"
#include "runner/model/vocabulary/param.h"
#include "runner/sweepfile/sweep/sweepfile.h"
#include "tools/bench/bench_output.h"

namespace sweepd {
namespace {

// As many parameters as lm_step, the widest workload: the cost of a trial grows with them.
WorkloadDef wide_workload() {
  WorkloadDef def;
  def.name = "wide";
  def.passes = {"timing"};
  for (int i = 0; i < 12; ++i) {
    ParamDef param;
    param.name = fmt::format("p{}", i);
    param.type = i % 2 == 0 ? ValueType::kInteger : ValueType::kText;
    param.default_value = i % 2 == 0 ? Value(std::int64_t{0}) : Value(std::string("default"));
    def.params.push_back(std::move(param));
  }
  for (ParamDef& param : describe_params<RunParams>()) {
    param.run_param = true;
    def.params.push_back(std::move(param));
  }
  return def;
}

Sweep cube(std::int64_t side) {
  Sweep sweep;
  sweep.name = "cube";
  sweep.workload = "wide";
  for (const std::size_t param : {std::size_t{0}, std::size_t{2}, std::size_t{4}}) {
    Axis axis{param, {}};
    for (std::int64_t value = 1; value <= side; ++value) axis.values.emplace_back(value);
    sweep.matrix.push_back(std::move(axis));
  }
  return sweep;
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

int run(std::int64_t side) {
  constexpr int kRepeats = 3;
  const WorkloadDef def = wide_workload();
  const Sweep sweep = cube(side);
  const std::int64_t count = side * side * side;
  const std::string points = with_thousands(count) + " points";
  const std::string how =
      fmt::format("expand() of three axes of {} values, {} parameters a trial; wall time", side,
                  def.params.size());
  BenchLine wall{"expanding " + points, "s", {}, 2.0, how};
  BenchLine cpu{"expanding " + points + ", CPU time", "s", {}, 2.0, "the same, CPU time"};
  BenchLine memory{"memory of " + points,
                   "MiB",
                   {},
                   std::nullopt,
                   "growth of the resident set by one expansion"};
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const std::int64_t before_bytes = resident_set().value;
    const double cpu_before = cpu_seconds();
    const Instant begin = now_instant();
    const Expansion expansion = expand(sweep, def);
    wall.values.push_back(static_cast<double>((now_instant() - begin).ns) * 1e-9);
    cpu.values.push_back(cpu_seconds() - cpu_before);
    if (std::ssize(expansion.trials) != count) {
      fmt::print(stderr, "expand_bench: {} trials, expected {}\n", expansion.trials.size(), count);
      return 1;
    }
    // Only the first counts, since later ones reuse what it returned to the allocator.
    if (repeat == 0) {
      memory.values.push_back(static_cast<double>(resident_set().value - before_bytes) / (1 << 20));
    }
  }
  print(wall);
  print(cpu);
  print(memory);
  return 0;
}

}  // namespace
}  // namespace sweepd

int main(int count, char** words) {
  return sweepd::run(count > 1 ? std::atoi(words[1]) : 100);
}
