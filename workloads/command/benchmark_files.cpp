#include "workloads/command/benchmark_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "runner/base/text.h"
#include "workloads/command/benchmark_json.h"
#include "workloads/command/format_parts.h"
#include "workloads/command/json_text.h"

namespace sweepd::command {
namespace {

// Of `times` runs; a code that is no number is a signal's end.
class FailedRuns {
 public:
  FailedRuns(const BenchmarkJson& result, std::size_t runs) : runs_(runs) {
    if (!result.contains("exit_codes") || !result["exit_codes"].is_array()) return;
    const BenchmarkJson& codes = result["exit_codes"];
    for (std::size_t run = 0; run < std::min(codes.size(), runs); ++run) {
      if (codes[run] == 0) continue;
      failed_.resize(runs);
      failed_[run] = true;
      ++ends_[codes[run].is_number_integer()
                  ? fmt::format("with exit code {}", codes[run].get<std::int64_t>())
                  : "by a signal"];
    }
  }

  bool any() const { return !failed_.empty(); }
  bool all() const {
    return any() && std::find(failed_.begin(), failed_.end(), false) == failed_.end();
  }
  bool has(std::size_t run) const { return any() && failed_[run]; }
  // "1 of 2 runs ended with exit code 1"
  std::string words() const {
    std::vector<std::string> words;
    for (const auto& [end, count] : ends_) {
      words.push_back(fmt::format("{} of {} runs ended {}", count, runs_, end));
    }
    return join(words, ", ");
  }

 private:
  std::size_t runs_;
  std::vector<bool> failed_;                 // empty: none did
  std::map<std::string, std::size_t> ends_;  // how many ended how
};

// The names of benchmarks, where `more` says what makes equal ones distinct.
template <class More>
void make_distinct(std::vector<std::string>& names, const More& more) {
  std::map<std::string, int> count;
  for (const std::string& name : names) ++count[name];
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (count[names[i]] > 1) names[i] = more(i, names[i]);
  }
}

// {"size": "1", "kind": "a"} as " size=1 kind=a".
std::string as_words(const BenchmarkJson& parameters) {
  std::string words;
  if (!parameters.is_object()) return words;
  for (const auto& [name, value] : parameters.items()) {
    words += fmt::format(" {}={}", name,
                         value.is_string() ? value.get<std::string>() : shown_json(value));
  }
  return words;
}

// "sort"; where another command has the name, too, "sort size=1".
std::vector<std::string> hyperfine_names(const BenchmarkJson& results) {
  std::vector<std::string> names;
  for (const BenchmarkJson& result : results) {
    names.push_back(text_or(result, "command", "command"));
  }
  make_distinct(names, [&](std::size_t i, const std::string& name) {
    return name + (results[i].contains("parameters") ? as_words(results[i]["parameters"]) : "");
  });
  return names;
}

// "test_sum"; where several modules have one, "tests/test_a.py::test_sum"; where that has several
// with other parameters, "tests/test_a.py::test_sum size=1".
std::vector<std::string> pytest_names(const BenchmarkJson& benchmarks) {
  std::vector<std::string> names;
  for (const BenchmarkJson& benchmark : benchmarks) {
    names.push_back(text_or(benchmark, "name", "benchmark"));
  }
  make_distinct(names, [&](std::size_t i, const std::string& name) {
    return text_or(benchmarks[i], "fullname", name);
  });
  make_distinct(names, [&](std::size_t i, const std::string& name) {
    const BenchmarkJson& benchmark = benchmarks[i];
    const std::string group = text_or(benchmark, "group", "");
    return name + (benchmark.contains("params") ? as_words(benchmark["params"]) : "") +
           (group.empty() ? "" : " " + group);
  });
  return names;
}

void refuse_equal(std::string_view format, std::vector<std::string> names, const char* instead) {
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return;
  refuse_report(format, fmt::format("two results are of `{}`: {}", *twice, instead));
}

}  // namespace

std::vector<Report> read_hyperfine(const nlohmann::ordered_json& file) {
  constexpr std::string_view kFormat = "hyperfine";
  const BenchmarkJson& results = list_in(kFormat, file, "results");
  const std::vector<std::string> commands = hyperfine_names(results);
  refuse_equal(kFormat, commands, "name each with --command-name");
  const BenchmarkPhases phases(kFormat, commands);
  std::vector<Report> reports = phases.facts();
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const BenchmarkJson& result = results[i];
    const std::string& phase = phases.of(commands[i]);
    if (!result.contains("times") || !result["times"].is_array()) {
      refuse_report(kFormat, fmt::format("`{}` has no list `times`", commands[i]));
    }
    const std::vector<double> times = ms_in_list(kFormat, commands[i], result["times"], "times");
    const FailedRuns failed(result, times.size());
    if (failed.all()) {
      refuse_report(kFormat, fmt::format("`{}`: {}", commands[i], failed.words()));
    }
    for (std::size_t run = 0; run < times.size(); ++run) {
      if (failed.has(run)) continue;
      reports.emplace_back(
          step_of(static_cast<std::int64_t>(run), {sample_of(phase, "time", times[run])}));
    }
    if (failed.any()) {  // `user` and `system` are means of all runs
      warnings.push_back(results.size() == 1 ? failed.words()
                                             : commands[i] + ": " + failed.words());
      continue;
    }
    std::vector<Sample> whole;
    for (const auto& [theirs, ours] : {std::pair{"user", "user_time"}, {"system", "system_time"}}) {
      if (!result.contains(theirs)) continue;
      if (const auto seconds = number_in_json(result[theirs])) {
        whole.push_back(sample_of(phase, ours, *seconds * 1e3));
      }
    }
    if (!whole.empty()) reports.emplace_back(once_of(std::move(whole)));
  }
  if (!warnings.empty()) reports.emplace_back(warning_of(kFormat, join(warnings, "; ")));
  return reports;
}

std::vector<Report> read_pytest_benchmark(const nlohmann::ordered_json& file) {
  constexpr std::string_view kFormat = "pytest-benchmark";
  const BenchmarkJson& benchmarks = list_in(kFormat, file, "benchmarks");
  const std::vector<std::string> names = pytest_names(benchmarks);
  refuse_equal(kFormat, names, "rename one");
  const BenchmarkPhases phases(kFormat, names);
  std::vector<Report> reports = phases.facts();
  std::vector<std::string> means;
  for (std::size_t i = 0; i < benchmarks.size(); ++i) {
    const BenchmarkJson& benchmark = benchmarks[i];
    const std::string& phase = phases.of(names[i]);
    if (!benchmark.contains("stats") || !benchmark["stats"].is_object()) {
      refuse_report(kFormat, fmt::format("`{}` has no `stats`", names[i]));
    }
    const BenchmarkJson& stats = benchmark["stats"];
    std::vector<double> rounds;
    if (stats.contains("data") && stats["data"].is_array()) {
      rounds = ms_in_list(kFormat, names[i], stats["data"], "data");
    }
    if (rounds.empty()) {
      rounds = {number_of(kFormat, names[i], stats, "mean") * 1e3};
      means.push_back(names[i]);
    }
    for (std::size_t round = 0; round < rounds.size(); ++round) {
      reports.emplace_back(
          step_of(static_cast<std::int64_t>(round), {sample_of(phase, "time", rounds[round])}));
    }
  }
  if (!means.empty()) reports.emplace_back(only_means_of(means));
  return reports;
}

}  // namespace sweepd::command
