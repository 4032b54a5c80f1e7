#include "workloads/command/benchmark_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "runner/base/hash.h"
#include "workloads/command/format_parts.h"

namespace sweepd::command {

std::string phase_name(std::string_view benchmark) {
  std::string name = plain_name(benchmark, "_./");
  std::ranges::replace(name, '/', '.');
  return name.empty() ? "benchmark" : name;
}

BenchmarkPhases::BenchmarkPhases(std::string_view format,
                                 const std::vector<std::string>& benchmarks) {
  std::map<std::string, std::set<std::string>> by_name;
  for (const std::string& benchmark : benchmarks) {
    by_name[phase_name(benchmark)].insert(benchmark);
  }
  if (by_name.size() == 1 && by_name.begin()->second.size() == 1) {
    phases_[benchmarks.front()] = "step";
    return;
  }
  std::map<std::string, std::string> owners;
  for (const auto& [name, of_name] : by_name) {
    for (const std::string& benchmark : of_name) {
      std::string phase = name;
      if (of_name.size() > 1) {
        constexpr std::size_t kDigits = 4, kHashDigits = 32, kLongest = 64;
        // The last ones: names that differ in their last letter share the first.
        phase = fmt::format("{}_{}", name.substr(0, kLongest - kDigits - 1),
                            hash128(benchmark).substr(kHashDigits - kDigits));
        with_digits_.push_back(benchmark);
      }
      const auto [owner, is_new] = owners.emplace(phase, benchmark);
      if (!is_new) {
        refuse_report(format, fmt::format("`{}` and `{}` would both be phase `{}`: rename one",
                                          owner->second, benchmark, phase));
      }
      phases_[benchmark] = std::move(phase);
    }
  }
}

std::vector<Report> BenchmarkPhases::facts() const {
  std::vector<Report> facts;
  for (const std::string& benchmark : with_digits_) {
    facts.emplace_back(FactReport{"phase." + of(benchmark), std::nullopt, benchmark});
  }
  return facts;
}

}  // namespace sweepd::command
