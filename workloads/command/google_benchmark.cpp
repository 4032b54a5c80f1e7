#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "runner/base/text.h"
#include "runner/model/vocabulary/metric_name.h"
#include "workloads/command/benchmark_files.h"
#include "workloads/command/benchmark_json.h"
#include "workloads/command/format_parts.h"
#include "workloads/command/json_text.h"

namespace sweepd::command {
namespace {

constexpr std::string_view kGoogle = "google-benchmark";

double ms_per(const std::string& unit) {
  const auto scale = milliseconds_in(unit);
  if (!scale) refuse_report(kGoogle, fmt::format("time_unit `{}` is unknown", unit));
  return *scale;
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

bool is_repetition(const BenchmarkJson& run) {
  return text_or(run, "run_type", "iteration") == "iteration";
}

// "mean", "stddev" of an aggregate row; "" of a repetition.
std::string aggregate_of(const BenchmarkJson& run) {
  return is_repetition(run) ? "" : text_or(run, "aggregate_name", "");
}

std::vector<Sample> google_samples(const std::string& benchmark, const std::string& phase,
                                   const BenchmarkJson& run) {
  const double unit = ms_per(text_or(run, "time_unit", "ns"));
  std::vector<Sample> samples{
      sample_of(phase, "time", number_of(kGoogle, benchmark, run, "real_time") * unit),
      sample_of(phase, "cpu_time", number_of(kGoogle, benchmark, run, "cpu_time") * unit)};
  std::map<std::string, std::string> counters{{"time", "real_time"}, {"cpu_time", "cpu_time"}};
  for (const auto& [name, value] : run.items()) {
    const auto number = number_in_json(value);
    // A text may be `inf`, too: only counters are not known by name.
    if (!number || !is_counter(name) || name == "label" || name == "name" || name == "run_name") {
      continue;
    }
    const auto [other, is_new] = counters.emplace(plain_name(name, "_"), name);
    if (!is_new) {
      refuse_report(kGoogle,
                    fmt::format("counters `{}` and `{}` of `{}` would both be metric `{}`: "
                                "rename one",
                                other->second, name, benchmark, other->first));
    }
    samples.push_back(sample_of(phase, other->first, *number));
  }
  return samples;
}

// The standard deviation of times, by the side of their mean.
std::vector<Sample> deviations(const std::string& benchmark, const std::string& phase,
                               const BenchmarkJson& run) {
  const double unit = ms_per(text_or(run, "time_unit", "ns"));
  return {sample_of(phase, "std_time", number_of(kGoogle, benchmark, run, "real_time") * unit),
          sample_of(phase, "std_cpu_time", number_of(kGoogle, benchmark, run, "cpu_time") * unit)};
}

class GoogleFile {
 public:
  explicit GoogleFile(const BenchmarkJson& runs) : runs_(runs), phases_(kGoogle, names()) {}

  std::vector<Report> read() {
    reports_ = phases_.facts();
    for (const BenchmarkJson& run : runs_) take(run);
    if (steps_.empty() && !errors_.empty()) refuse_report(kGoogle, errors_.front());
    if (steps_.empty() && !skipped_.empty()) return {SkipReport{join(skipped_, "; ")}};
    if (steps_.empty()) refuse_report(kGoogle, "no benchmark has a repetition or a mean");
    if (!skipped_.empty()) {
      reports_.emplace_back(FactReport{"skipped", std::nullopt, join(skipped_, "; ")});
    }
    if (!means_.empty()) reports_.emplace_back(only_means_of(means_));
    if (!errors_.empty()) reports_.emplace_back(warning_of(kGoogle, join(errors_, "; ")));
    return std::move(reports_);
  }

 private:
  // The benchmarks of which a row counts.
  std::vector<std::string> names() {
    for (const BenchmarkJson& run : runs_) {
      if (is_repetition(run)) repeated_.insert(google_name(run));
    }
    std::vector<std::string> names;
    for (const BenchmarkJson& run : runs_) {
      if (is_repetition(run) || aggregate_of(run) == "mean") names.push_back(google_name(run));
    }
    return names;
  }

  void take(const BenchmarkJson& run) {
    const std::string name = google_name(run), aggregate = aggregate_of(run);
    if (is_true(run, "error_occurred")) {
      add_once(errors_, name + ": " + text_or(run, "error_message", "an error"));
    } else if (is_true(run, "skipped")) {
      const std::string why = text_or(run, "skip_message", "");
      add_once(skipped_, name + (why.empty() ? "" : ": " + why));
    } else if (is_repetition(run)) {
      add_step(name, run);
    } else if (!repeated_.contains(name) && aggregate == "mean") {
      means_.push_back(name);
      add_step(name, run);
    } else if (!repeated_.contains(name) && aggregate == "stddev" && steps_.contains(name)) {
      reports_.emplace_back(once_of(deviations(name, phases_.of(name), run)));
    }
  }

  // Every repetition repeats the text.
  static void add_once(std::vector<std::string>& texts, std::string text) {
    if (texts.empty() || texts.back() != text) texts.push_back(std::move(text));
  }

  void add_step(const std::string& name, const BenchmarkJson& run) {
    reports_.emplace_back(step_of(steps_[name]++, google_samples(name, phases_.of(name), run)));
  }

  const BenchmarkJson& runs_;
  std::set<std::string> repeated_;  // benchmarks with repetitions
  BenchmarkPhases phases_;
  std::vector<Report> reports_;
  std::map<std::string, std::int64_t> steps_;  // of each benchmark, so far
  std::vector<std::string> errors_, skipped_, means_;
};

}  // namespace

std::vector<Report> read_google_benchmark(const nlohmann::ordered_json& file) {
  return GoogleFile(list_in(kGoogle, file, "benchmarks")).read();
}

}  // namespace sweepd::command
