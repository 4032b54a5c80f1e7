#include "workloads/command/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "runner/base/nesting.h"
#include "runner/base/text.h"

namespace sweepd::command {
namespace {

using json = nlohmann::ordered_json;

[[noreturn]] void refuse(std::string_view format, std::string_view why) {
  throw std::runtime_error(fmt::format("reports: {}: {}", format, why));
}

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end && !text.empty() ? std::optional(value) : std::nullopt;
}

// What steps may be named and worth is the same in every format.
std::vector<Report> checked(std::string_view format, std::vector<Report> reports) {
  for (const Report& report : reports) {
    const auto* step = std::get_if<StepReport>(&report);
    if (step == nullptr) continue;
    for (const Sample& sample : step->samples) {
      const std::string mistake = mistake_in_sample(sample);
      if (!mistake.empty()) refuse(format, mistake);
    }
  }
  return reports;
}

// Lower-case letters, digits and `_`; everything else is a `_`.
std::string plain_name(std::string_view text, std::string_view also) {
  std::string name;
  for (const char c : text) {
    const char small = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool fits = (small >= 'a' && small <= 'z') || (small >= '0' && small <= '9') ||
                      also.find(small) != std::string_view::npos;
    name += fits ? small : '_';
  }
  return name.substr(0, 64);
}

Sample sample(std::string phase, std::string metric, double value) {
  Sample made;
  made.phase = std::move(phase);
  made.metric = std::move(metric);
  made.value = value;
  return made;
}

StepReport step(std::int64_t number, std::vector<Sample> samples) {
  StepReport report;
  report.step = number;
  report.warmup = false;  // these programs warm up by themselves
  report.samples = std::move(samples);
  return report;
}

StepReport once(std::vector<Sample> samples) {
  StepReport report = step(0, std::move(samples));
  report.once = true;
  return report;
}

const json& list_in(std::string_view format, const json& file, const char* name) {
  if (!file.is_object() || !file.contains(name) || !file[name].is_array() || file[name].empty()) {
    refuse(format, fmt::format("expected a JSON object with a list `{}` that is not empty", name));
  }
  return file[name];
}

double number(std::string_view format, const json& object, const char* name) {
  if (object.contains(name) && object[name].is_number()) return object[name].get<double>();
  refuse(format, fmt::format("`{}` of a benchmark is missing, or no number", name));
}

std::string text_or(const json& object, const char* name, std::string otherwise) {
  return object.contains(name) && object[name].is_string() ? object[name].get<std::string>()
                                                           : std::move(otherwise);
}

// The whole step if there is one benchmark, else a phase of its own.
std::string phase_of(const std::string& benchmark, std::size_t benchmarks) {
  return benchmarks == 1 ? "step" : phase_name(benchmark);
}

std::vector<Report> read_hyperfine(const json& file) {
  constexpr std::string_view kFormat = "hyperfine";
  const json& results = list_in(kFormat, file, "results");
  std::vector<Report> reports;
  for (const json& result : results) {
    const std::string phase = phase_of(text_or(result, "command", "command"), results.size());
    if (!result.contains("times") || !result["times"].is_array()) {
      refuse(kFormat, "a result without `times`");
    }
    std::int64_t run = 0;
    for (const json& seconds : result["times"]) {
      if (!seconds.is_number()) refuse(kFormat, "`times` has what is no number");
      reports.emplace_back(step(run++, {sample(phase, "time", seconds.get<double>() * 1e3)}));
    }
    std::vector<Sample> whole;
    for (const auto& [theirs, ours] : {std::pair{"user", "user_time"}, {"system", "system_time"}}) {
      if (result.contains(theirs) && result[theirs].is_number()) {
        whole.push_back(sample(phase, ours, result[theirs].get<double>() * 1e3));
      }
    }
    if (!whole.empty()) reports.emplace_back(once(std::move(whole)));
  }
  return reports;
}

double ms_per(std::string_view format, const std::string& unit) {
  static const std::map<std::string, double> units{
      {"ns", 1e-6}, {"us", 1e-3}, {"ms", 1}, {"s", 1e3}};
  const auto found = units.find(unit);
  if (found == units.end()) refuse(format, fmt::format("time_unit `{}` is unknown", unit));
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

std::vector<Report> read_google_benchmark(const json& file) {
  constexpr std::string_view kFormat = "google-benchmark";
  std::vector<std::string> names;
  for (const json& run : list_in(kFormat, file, "benchmarks")) {
    const std::string name = text_or(run, "run_name", text_or(run, "name", "benchmark"));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  std::map<std::string, std::int64_t> runs;  // of each, so far
  std::vector<Report> reports;
  for (const json& run : file["benchmarks"]) {
    if (text_or(run, "run_type", "iteration") != "iteration") continue;  // a mean of the others
    if (run.contains("error_occurred") && run["error_occurred"] == true) {
      refuse(kFormat, fmt::format("{}: {}", text_or(run, "name", "benchmark"),
                                  text_or(run, "error_message", "an error")));
    }
    const std::string phase =
        phase_of(text_or(run, "run_name", text_or(run, "name", "benchmark")), names.size());
    const double unit = ms_per(kFormat, text_or(run, "time_unit", "ns"));
    std::vector<Sample> samples{sample(phase, "time", number(kFormat, run, "real_time") * unit),
                                sample(phase, "cpu_time", number(kFormat, run, "cpu_time") * unit)};
    for (const auto& [name, value] : run.items()) {
      if (!value.is_number() || !is_counter(name)) continue;
      samples.push_back(sample(phase, plain_name(name, "_"), value.get<double>()));
    }
    reports.emplace_back(step(runs[phase]++, std::move(samples)));
  }
  return reports;
}

std::vector<Report> read_pytest_benchmark(const json& file) {
  constexpr std::string_view kFormat = "pytest-benchmark";
  const json& benchmarks = list_in(kFormat, file, "benchmarks");
  std::vector<Report> reports;
  for (const json& benchmark : benchmarks) {
    const std::string phase = phase_of(text_or(benchmark, "name", "benchmark"), benchmarks.size());
    if (!benchmark.contains("stats") || !benchmark["stats"].is_object()) {
      refuse(kFormat, "a benchmark without `stats`");
    }
    const json& stats = benchmark["stats"];
    std::int64_t round = 0;
    if (stats.contains("data") && stats["data"].is_array() && !stats["data"].empty()) {
      for (const json& seconds : stats["data"]) {
        if (!seconds.is_number()) refuse(kFormat, "`data` has what is no number");
        reports.emplace_back(step(round++, {sample(phase, "time", seconds.get<double>() * 1e3)}));
      }
    } else {
      reports.emplace_back(step(0, {sample(phase, "time", number(kFormat, stats, "mean") * 1e3)}));
    }
  }
  return reports;
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (const std::string& cell : split(line, ',')) {
    std::string_view text = trim(cell);
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
      text = text.substr(1, text.size() - 2);
    }
    cells.emplace_back(text);
  }
  return cells;
}

// "time.load" is the metric `time` of phase `load`; "wall time (s)" is no name that sweepd takes.
Sample csv_sample(const std::string& name, double value) {
  const std::size_t dot = name.find('.');
  return sample(dot == std::string::npos ? "step" : name.substr(dot + 1), name.substr(0, dot),
                value);
}

// Every cell is the name of a metric, perhaps with a phase, and there is one beside the step.
bool is_csv_head(const std::vector<std::string>& cells) {
  return std::ranges::all_of(cells,
                             [](const std::string& cell) {
                               return !number_in(cell) &&
                                      mistake_in_sample(csv_sample(cell, 0)).empty();
                             }) &&
         std::ranges::any_of(
             cells, [](const std::string& cell) { return cell != "step" && cell != "warmup"; });
}

// `text` is the cell that has this value.
std::int64_t csv_step(double value, std::string_view text) {
  constexpr double kMax = 0x1p53;  // above, not every integer is a double
  if (!(value >= 0 && value <= kMax) || value != std::floor(value)) {
    refuse("csv", fmt::format("`step` is {}; expected an integer from 0", text));
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace

const std::vector<std::string>& format_names() {
  static const std::vector<std::string> names{
      "ndjson", "csv", "hyperfine", "google-benchmark", "pytest-benchmark", "nccl-tests"};
  return names;
}

bool is_of_lines(std::string_view format) {
  return format == "ndjson" || format == "csv" || format == "nccl-tests";
}

std::string phase_name(std::string_view benchmark) {
  std::string name = plain_name(benchmark, "_./");
  std::ranges::replace(name, '/', '.');
  return name.empty() ? "benchmark" : name;
}

std::vector<Report> read_report_file(std::string_view format, std::string_view text) {
  if (is_nested_too_deeply(text)) refuse(format, "its report is " + nested_too_deeply());
  const json file = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (file.is_discarded()) refuse(format, "its report is not JSON");
  if (format == "hyperfine") return checked(format, read_hyperfine(file));
  if (format == "google-benchmark") return checked(format, read_google_benchmark(file));
  return checked(format, read_pytest_benchmark(file));
}

std::vector<Report> LineFormat::read(std::string_view line) {
  if (format_ == "csv") return checked(format_, read_csv(line));
  if (format_ == "nccl-tests") return checked(format_, read_nccl(line));
  const std::string_view text = trim(line);
  if (text.empty() || text.front() != '{') return {};
  auto report = parse_report(text);
  if (!report)
    refuse(format_, fmt::format("{}: `{}`", report.error().message, text.substr(0, 200)));
  return {std::move(*report)};
}

// Lines after the head that are not as many numbers are none of the table's rows.
std::vector<Report> LineFormat::read_csv(std::string_view line) {
  if (line.find(',') == std::string_view::npos && trim(line) != "time") {
    if (names_.size() != 1) return {};
  }
  const std::vector<std::string> cells = cells_of(line);
  if (names_.empty()) {
    if (is_csv_head(cells)) names_ = cells;
    return {};
  }
  if (cells.size() != names_.size()) return {};
  std::int64_t number = next_step_;
  std::optional<bool> warmup;
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto value = number_in(cells[i]);
    if (!value) return {};
    if (names_[i] == "step") {
      number = csv_step(*value, cells[i]);
    } else if (names_[i] == "warmup") {
      warmup = *value != 0;
    } else {
      samples.push_back(csv_sample(names_[i], *value));
    }
  }
  next_step_ = number + 1;
  StepReport report = step(number, std::move(samples));
  report.warmup = warmup;
  return {report};
}

// size count type [redop root] time algbw busbw #wrong time algbw busbw #wrong; times are in us.
// Programs without a reduction leave out `redop`, some `root`, and `-c 0` has N/A for #wrong.
std::vector<Report> LineFormat::read_nccl(std::string_view line) {
  std::vector<std::string> cells;
  for (const std::string& cell : split(line, ' ')) {
    if (!trim(cell).empty()) cells.emplace_back(trim(cell));
  }
  constexpr std::size_t kFigures = 8;  // of both halves
  if (cells.size() < 3 + kFigures || !number_in(cells[0]) || !number_in(cells[1])) return {};
  const std::size_t first = cells.size() - kFigures;
  std::vector<Sample> samples;
  for (std::size_t half = 0; half < 2; ++half) {
    const std::string phase = half == 0 ? "step" : "in_place";
    const std::size_t at = first + 4 * half;
    const auto time = number_in(cells[at]), algbw = number_in(cells[at + 1]),
               busbw = number_in(cells[at + 2]), errors = number_in(cells[at + 3]);
    if (!time || !algbw || !busbw) return {};
    if (errors && *errors > 0) {
      refuse(format_, fmt::format("{} wrong values of {} bytes, {}", cells[at + 3], cells[0],
                                  half == 0 ? "out of place" : "in place"));
    }
    samples.push_back(sample(phase, "time", *time * 1e-3));
    samples.push_back(sample(phase, "algbw", *algbw));
    samples.push_back(sample(phase, "busbw", *busbw));
  }
  return {step(next_step_++, std::move(samples))};
}

}  // namespace sweepd::command
