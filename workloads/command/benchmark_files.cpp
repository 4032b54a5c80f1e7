#include "workloads/command/benchmark_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runner/base/text.h"
#include "workloads/command/benchmark_phases.h"
#include "workloads/command/format_parts.h"
#include "workloads/command/json_text.h"

namespace sweepd::command {
namespace {

using BenchmarkJson = nlohmann::ordered_json;

const BenchmarkJson& list_in(std::string_view format, const BenchmarkJson& file, const char* name) {
  if (!file.is_object() || !file.contains(name) || !file[name].is_array() || file[name].empty()) {
    refuse_report(format,
                  fmt::format("expected a JSON object with a list `{}` that is not empty", name));
  }
  return file[name];
}

// A value in a message.
std::string shown_json(const BenchmarkJson& value) {
  constexpr std::size_t kLongest = 60;
  return value.dump().substr(0, kLongest);
}

// The number of seconds, or whatever `name` is, of a benchmark.
double number_of(std::string_view format, const std::string& benchmark, const BenchmarkJson& object,
                 const char* name) {
  if (object.contains(name)) {
    if (const auto number = number_in_json(object[name])) return *number;
    refuse_report(format, fmt::format("`{}` of `{}` is {}; expected a number", name, benchmark,
                                      shown_json(object[name])));
  }
  refuse_report(format, fmt::format("`{}` of `{}` is missing", name, benchmark));
}

// A list of seconds as ms.
std::vector<double> ms_in_list(std::string_view format, const std::string& benchmark,
                               const BenchmarkJson& list, const char* name) {
  std::vector<double> ms;
  for (const BenchmarkJson& seconds : list) {
    const auto number = number_in_json(seconds);
    if (!number) {
      refuse_report(format, fmt::format("`{}` of `{}`: number {} is {}; expected seconds", name,
                                        benchmark, ms.size(), shown_json(seconds)));
    }
    ms.push_back(*number * 1e3);
  }
  return ms;
}

std::string text_or(const BenchmarkJson& object, const char* name, std::string otherwise) {
  return object.contains(name) && object[name].is_string() ? object[name].get<std::string>()
                                                           : std::move(otherwise);
}

bool is_true(const BenchmarkJson& object, const char* name) {
  return object.contains(name) && object[name] == true;
}

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

double ms_per(std::string_view format, const std::string& unit) {
  static const std::map<std::string, double> units{
      {"ns", 1e-6}, {"us", 1e-3}, {"ms", 1}, {"s", 1e3}};
  const auto found = units.find(unit);
  if (found == units.end()) refuse_report(format, fmt::format("time_unit `{}` is unknown", unit));
  return found->second;
}

// Google Benchmark's own numbers of a run; every other number is a counter of the user.
bool is_counter(const std::string& name) {
  static const std::vector<std::string> known{"family_index",   "per_family_instance_index",
                                              "repetitions",    "repetition_index",
                                              "threads",        "iterations",
                                              "real_time",      "cpu_time",
                                              "aggregate_name", "complexity_index",
                                              "aggregate_unit"};
  return std::ranges::find(known, name) == known.end();
}

std::string google_name(const BenchmarkJson& run) {
  return text_or(run, "run_name", text_or(run, "name", "benchmark"));
}

std::vector<Sample> google_samples(std::string_view format, const std::string& benchmark,
                                   const std::string& phase, const BenchmarkJson& run) {
  const double unit = ms_per(format, text_or(run, "time_unit", "ns"));
  std::vector<Sample> samples{
      sample_of(phase, "time", number_of(format, benchmark, run, "real_time") * unit),
      sample_of(phase, "cpu_time", number_of(format, benchmark, run, "cpu_time") * unit)};
  std::map<std::string, std::string> counters{{"time", "real_time"}, {"cpu_time", "cpu_time"}};
  for (const auto& [name, value] : run.items()) {
    const auto number = number_in_json(value);
    // A text may be `inf`, too: only counters are not known by name.
    if (!number || !is_counter(name) || name == "label" || name == "name" || name == "run_name") {
      continue;
    }
    const auto [other, is_new] = counters.emplace(plain_name(name, "_"), name);
    if (!is_new) {
      refuse_report(format, fmt::format("counters `{}` and `{}` of `{}` would both be metric `{}`: "
                                        "rename one",
                                        other->second, name, benchmark, other->first));
    }
    samples.push_back(sample_of(phase, other->first, *number));
  }
  return samples;
}

// "test_sum"; where several modules have one, "tests/test_a.py::test_sum".
std::vector<std::string> pytest_names(const BenchmarkJson& benchmarks) {
  std::map<std::string, int> count;
  for (const BenchmarkJson& benchmark : benchmarks)
    ++count[text_or(benchmark, "name", "benchmark")];
  std::vector<std::string> names;
  for (const BenchmarkJson& benchmark : benchmarks) {
    std::string name = text_or(benchmark, "name", "benchmark");
    names.push_back(count[name] == 1 ? name : text_or(benchmark, "fullname", name));
  }
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
  std::vector<std::string> commands;
  for (const BenchmarkJson& result : results) {
    commands.push_back(text_or(result, "command", "command"));
  }
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

std::vector<Report> read_google_benchmark(const nlohmann::ordered_json& file) {
  constexpr std::string_view kFormat = "google-benchmark";
  const BenchmarkJson& benchmarks = list_in(kFormat, file, "benchmarks");
  std::vector<std::string> names;
  for (const BenchmarkJson& run : benchmarks) names.push_back(google_name(run));
  const BenchmarkPhases phases(kFormat, names);
  std::vector<Report> reports = phases.facts();
  std::map<std::string, std::int64_t> runs;  // of each phase, so far
  std::vector<std::string> skipped;
  for (std::size_t i = 0; i < benchmarks.size(); ++i) {
    const BenchmarkJson& run = benchmarks[i];
    if (text_or(run, "run_type", "iteration") != "iteration") continue;  // a mean of the others
    if (is_true(run, "error_occurred")) {
      refuse_report(kFormat,
                    fmt::format("{}: {}", names[i], text_or(run, "error_message", "an error")));
    }
    if (is_true(run, "skipped")) {
      const std::string why = text_or(run, "skip_message", "");
      skipped.push_back(names[i] + (why.empty() ? "" : ": " + why));
      continue;
    }
    const std::string& phase = phases.of(names[i]);
    reports.emplace_back(step_of(runs[phase]++, google_samples(kFormat, names[i], phase, run)));
  }
  if (!skipped.empty()) {
    if (runs.empty()) return {SkipReport{join(skipped, "; ")}};
    reports.emplace_back(FactReport{"skipped", std::nullopt, join(skipped, "; ")});
  }
  return reports;
}

std::vector<Report> read_pytest_benchmark(const nlohmann::ordered_json& file) {
  constexpr std::string_view kFormat = "pytest-benchmark";
  const BenchmarkJson& benchmarks = list_in(kFormat, file, "benchmarks");
  const std::vector<std::string> names = pytest_names(benchmarks);
  refuse_equal(kFormat, names, "rename one");
  const BenchmarkPhases phases(kFormat, names);
  std::vector<Report> reports = phases.facts();
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
    if (rounds.empty()) rounds = {number_of(kFormat, names[i], stats, "mean") * 1e3};
    for (std::size_t round = 0; round < rounds.size(); ++round) {
      reports.emplace_back(
          step_of(static_cast<std::int64_t>(round), {sample_of(phase, "time", rounds[round])}));
    }
  }
  return reports;
}

}  // namespace sweepd::command
