#include "workloads/command/llama_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "runner/base/nesting.h"
#include "runner/base/text.h"
#include "workloads/command/benchmark_json.h"
#include "workloads/command/csv_cells.h"
#include "workloads/command/format_parts.h"
#include "workloads/command/json_text.h"

namespace sweepd::command {
namespace {

constexpr std::string_view kLlama = "llama-bench";
constexpr std::string_view kCsvBegin = "build_commit,";
constexpr char kComma = ',';

// A test; of csv, with texts.
using LlamaTest = BenchmarkJson;

bool is_llama_test(const LlamaTest& object) {
  return object.is_object() && object.contains("n_prompt") && object.contains("n_gen") &&
         (object.contains("samples_ns") || object.contains("avg_ns"));
}

JsonText parse_shallow(std::string_view text) {
  if (is_nested_too_deeply(text)) refuse_report(kLlama, "its report is " + nested_too_deeply());
  return parse_json(text);
}

// Finds the tests in the output.
class LlamaOutput {
 public:
  explicit LlamaOutput(std::string_view text) {
    if (takes_whole(trim(text))) return;
    for (const std::string& line : split(text, '\n')) take(trim(line), ++line_);
    if (!object_.empty()) {
      refuse_report(kLlama, fmt::format("the test that begins in line {} does not end", begin_));
    }
  }
  std::vector<LlamaTest> tests;

 private:
  // A file that is nothing but JSON, however it is broken into lines.
  bool takes_whole(std::string_view text) {
    if (!text.starts_with('[') || !text.ends_with(']')) return false;
    JsonText parsed = parse_shallow(text);
    if (!parsed.value.is_array()) return false;
    for (LlamaTest& each : parsed.value) keep(std::move(each));
    return true;
  }

  void keep(LlamaTest test) {
    if (is_llama_test(test)) tests.push_back(std::move(test));
  }

  // Other lines may be amid those of an object: a field begins with a quote, and `}` ends it.
  void take(std::string_view line, std::int64_t number) {
    if (!object_.empty()) {
      if (line.starts_with('"')) object_ += line;
      if (line != "}" && line != "},") return;
      parse(std::exchange(object_, {}) + "}", begin_);
    } else if (line == "{") {
      object_ = line;
      begin_ = number;
    } else if (line.starts_with("{\"")) {
      parse(line.ends_with(',') ? line.substr(0, line.size() - 1) : line, number);
    } else if (line.starts_with(kCsvBegin)) {
      head_ = csv_cells(line, kComma);
    } else if (!head_.empty() && line.starts_with('"')) {
      take_row(csv_cells(line, kComma), number);
    }
  }

  void parse(std::string_view text, std::int64_t number) {
    JsonText parsed = parse_shallow(text);
    if (!parsed.value.is_discarded()) return keep(std::move(parsed.value));
    if (text.find("\"n_prompt\"") == std::string_view::npos) return;  // a line of something else
    refuse_report(kLlama, fmt::format("line {}: it is not a JSON object: column {}: {}", number,
                                      parsed.mistake_at + 1, parsed.mistake));
  }

  void take_row(const std::vector<CsvCell>& cells, std::int64_t number) {
    if (cells.size() != head_.size()) {
      refuse_report(kLlama, fmt::format("line {}: a row of {} cells, and the head has {}", number,
                                        cells.size(), head_.size()));
    }
    LlamaTest test = LlamaTest::object();
    for (std::size_t i = 0; i < cells.size(); ++i) test[head_[i].text] = cells[i].text;
    keep(std::move(test));
  }

  std::vector<CsvCell> head_;  // of csv
  std::string object_;         // that has begun
  std::int64_t line_ = 0, begin_ = 0;
};

// A number, also as a text.
std::optional<double> llama_number(const LlamaTest& value) {
  if (value.is_string()) return number_in(value.get<std::string>());
  return number_in_json(value);
}

double llama_number_of(const LlamaTest& test, const std::string& name, const char* field) {
  if (test.contains(field)) {
    if (const auto number = llama_number(test[field])) return *number;
  }
  return number_of(kLlama, name, test, field);  // says what is wrong
}

// csv has 0 and 1 where JSON has false and true.
std::string setting_text(const LlamaTest& test, const std::string& field) {
  if (!test.contains(field)) return "";
  const LlamaTest& value = test[field];
  if (value.is_boolean()) return value == true ? "1" : "0";
  return value.is_string() ? value.get<std::string>() : shown_json(value);
}

bool is_setting(const std::string& field) {
  constexpr std::array<std::string_view, 10> kResults{
      "n_prompt",  "n_gen",  "n_depth",   "test_time",  "avg_ns",
      "stddev_ns", "avg_ts", "stddev_ts", "samples_ns", "samples_ts"};
  return std::ranges::find(kResults, field) == kResults.end();
}

// "pp512+tg128.d4096"
std::string test_name(const LlamaTest& test) {
  const auto count = [&](const char* field) {
    const std::string text = setting_text(test, field);
    return text == "0" ? "" : text;
  };
  const std::string prompt = count("n_prompt"), gen = count("n_gen"), depth = count("n_depth");
  std::string name = prompt.empty() ? "" : "pp" + prompt;
  if (!gen.empty()) name += (name.empty() ? "tg" : "+tg") + gen;
  return name + (depth.empty() ? "" : ".d" + depth);
}

// The model's name first: it says what its file, size and number of parameters would say again.
std::vector<std::string> settings_of(const std::vector<LlamaTest>& tests) {
  std::vector<std::string> settings{"model_type"};
  std::set<std::string> known{"model_type"};
  for (const LlamaTest& test : tests) {
    for (const auto& [field, value] : test.items()) {
      if (is_setting(field) && known.insert(field).second) settings.push_back(field);
    }
  }
  return settings;
}

bool differs(const std::vector<LlamaTest>& tests, const std::string& field) {
  return std::ranges::any_of(tests, [&](const LlamaTest& test) {
    return setting_text(test, field) != setting_text(tests[0], field);
  });
}

// Each test's name, with the settings that tell tests of equal names apart.
std::vector<std::string> test_names(const std::vector<LlamaTest>& tests,
                                    const std::vector<std::string>& settings) {
  std::vector<std::string> names;
  for (const LlamaTest& test : tests) names.push_back(test_name(test));
  for (const std::string& field : settings) {
    std::map<std::string, std::set<std::string>> by_name;
    for (std::size_t i = 0; i < tests.size(); ++i) {
      by_name[names[i]].insert(setting_text(tests[i], field));
    }
    if (std::ranges::all_of(by_name, [](const auto& each) { return each.second.size() == 1; })) {
      continue;
    }
    for (std::size_t i = 0; i < tests.size(); ++i) {
      names[i] += fmt::format(".{}{}", field == "model_type" ? "" : field + "_",
                              setting_text(tests[i], field));
    }
  }
  return names;
}

class LlamaReports {
 public:
  explicit LlamaReports(const std::vector<LlamaTest>& tests)
      : tests_(tests),
        settings_(settings_of(tests)),
        names_(test_names(tests, settings_)),
        phases_(kLlama, names_) {}

  std::vector<Report> read() {
    reports_ = phases_.facts();
    for (const std::string& field : settings_) add_fact(field);
    for (std::size_t i = 0; i < tests_.size(); ++i) {
      const LlamaTest& test = tests_[i];
      if (test.contains("samples_ns") && test["samples_ns"].is_array() &&
          !test["samples_ns"].empty()) {
        add_repetitions(names_[i], test);
      } else {
        add_mean(names_[i], test);
      }
    }
    if (!means_.empty()) reports_.emplace_back(only_means_of(means_));
    return std::move(reports_);
  }

 private:
  // Counts are numbers, everything else is a text: a commit may look like a number.
  void add_fact(const std::string& field) {
    const std::string text = setting_text(tests_[0], field);
    if (text.empty() || differs(tests_, field)) return;
    const bool is_count = field.starts_with("n_") || field == "build_number" ||
                          field == "model_size" || field == "model_n_params";
    const auto number = is_count ? number_in(text) : std::nullopt;
    reports_.emplace_back(
        FactReport{"llama." + plain_name(field, "_"), number, number ? "" : text});
  }

  void add_repetitions(const std::string& name, const LlamaTest& test) {
    const std::vector<double> times =
        ms_in_list(kLlama, name, test["samples_ns"], "samples_ns", kMsPerNs);
    const bool has_rates = test.contains("samples_ts") && test["samples_ts"].is_array() &&
                           test["samples_ts"].size() == times.size();
    for (std::size_t i = 0; i < times.size(); ++i) {
      std::vector<Sample> samples{sample_of(phases_.of(name), "time", times[i])};
      if (has_rates) {
        if (const auto rate = number_in_json(test["samples_ts"][i])) {
          samples.push_back(sample_of(phases_.of(name), "tokens_per_second", *rate));
        }
      }
      reports_.emplace_back(step_of(steps_[name]++, std::move(samples)));
    }
  }

  void add_mean(const std::string& name, const LlamaTest& test) {
    const std::string& phase = phases_.of(name);
    means_.push_back(name);
    std::vector<Sample> samples{
        sample_of(phase, "time", llama_number_of(test, name, "avg_ns") * kMsPerNs)};
    const auto add = [&](const char* field, const char* metric, double scale) {
      if (!test.contains(field)) return;
      if (const auto number = llama_number(test[field])) {
        samples.push_back(sample_of(phase, metric, *number * scale));
      }
    };
    add("avg_ts", "tokens_per_second", 1);
    add("stddev_ns", "std_time", kMsPerNs);
    add("stddev_ts", "std_tokens_per_second", 1);
    reports_.emplace_back(step_of(steps_[name]++, std::move(samples)));
  }

  static constexpr double kMsPerNs = 1e-6;

  const std::vector<LlamaTest>& tests_;
  std::vector<std::string> settings_, names_;
  BenchmarkPhases phases_;
  std::vector<Report> reports_;
  std::map<std::string, std::int64_t> steps_;  // of each test, so far
  std::vector<std::string> means_;
};

}  // namespace

std::vector<Report> read_llama_bench(std::string_view text) {
  const LlamaOutput output(text);
  if (output.tests.empty()) {
    refuse_report(kLlama,
                  "it has no test: it must be written by `-o jsonl`, `-o json` or `-o csv`");
  }
  return LlamaReports(output.tests).read();
}

}  // namespace sweepd::command
