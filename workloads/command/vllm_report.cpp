#include "workloads/command/vllm_report.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "runner/base/nesting.h"
#include "runner/base/text.h"
#include "workloads/command/benchmark_json.h"
#include "workloads/command/format_parts.h"
#include "workloads/command/json_text.h"
#include "workloads/command/vllm_results.h"

namespace sweepd::command {
namespace {

// Where the text between the two is.
std::optional<std::string_view> between(std::string_view line, std::string_view before,
                                        std::string_view behind) {
  const std::size_t at = line.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(at + before.size());
  const std::size_t end = rest.find(behind);
  return end == std::string_view::npos ? std::nullopt : std::optional(rest.substr(0, end));
}

void read_vllm_json(const BenchmarkJson& file, VllmReports& reports) {
  const bool has_latencies = file.contains("avg_latency") && file.contains("latencies") &&
                             file["latencies"].is_array() && !file["latencies"].empty();
  VllmResult result;
  for (const auto& [name, value] : file.items()) {
    const auto number = number_in_json(value);
    if (number && is_vllm_figure(name)) {  // NaN is a text by now
      if (!has_latencies) result.add(name, *number);
    } else if (value.is_string()) {
      if (name != "date") reports.add_fact(name, std::nullopt, value.get<std::string>());
    } else if (number && is_vllm_setting(name)) {
      reports.add_fact(name, *number, "");
    } else if (number && !has_latencies) {
      result.add(name, *number);
    }
  }
  if (has_latencies) {
    for (const double ms : ms_in_list(kVllm, "latency", file["latencies"], "latencies")) {
      reports.add_time(ms);
    }
  } else if (file.contains("avg_latency")) {
    reports.add_mean();
  }
  reports.add(result);
}

// Reads the printed results.
class VllmText {
 public:
  explicit VllmText(VllmReports& reports) : reports_(reports) {}

  void take(std::string_view line) {
    if (line.find("Avg prompt throughput: ") != std::string_view::npos) {
      reports_.add_engine_line(line);
    } else if (line.find("Serving Benchmark Result") != std::string_view::npos) {
      finish();
      in_block_ = true;
    } else if (in_block_ || (!result_.empty() && line.starts_with("Total num "))) {
      take_of_block(line);
    } else if (const auto throughput = behind(line, "Throughput: ")) {
      finish();
      take_throughput(*throughput);
    } else if (const auto mean = seconds_behind(line, "Avg latency: ")) {
      finish();
      reports_.add_mean();
      result_.add("avg_latency", *mean);
    } else if (const auto deviation = seconds_behind(line, "Std latency: ")) {
      result_.add("std_latency", *deviation);
    } else if (const auto latency = seconds_behind(line, "% percentile latency: ")) {
      const std::string percent(trim(line.substr(0, line.find('%'))));
      result_.add("step", "p" + label_name(percent) + "_time", *latency * 1e3);
    } else {
      take_facts(line);
    }
  }
  void finish() {
    in_block_ = false;
    reports_.add(result_);
  }

 private:
  static std::optional<std::string_view> behind(std::string_view line, std::string_view words) {
    const std::size_t at = line.find(words);
    return at == std::string_view::npos ? std::nullopt
                                        : std::optional(line.substr(at + words.size()));
  }
  static std::optional<double> seconds_behind(std::string_view line, std::string_view words) {
    const auto rest = behind(line, words);
    if (!rest || !rest->ends_with(" seconds")) return std::nullopt;
    return number_in(rest->substr(0, rest->find(' ')));
  }

  // "Mean TTFT (ms):                          9626.13   "
  void take_of_block(std::string_view line) {
    const std::size_t colon = line.rfind(':');
    if (colon == std::string_view::npos) {
      if (line.starts_with("=====")) finish();
      return;
    }
    const std::string name(trim(line.substr(0, colon)));
    const auto number = number_in_print(trim(line.substr(colon + 1)));
    if (!number || name.empty()) return;
    if (is_vllm_setting(name)) {
      reports_.add_fact(name, *number, "");
    } else {
      result_.add(name, *number);
    }
  }

  // "5.67 requests/s, 1234.56 total tokens/s, 987.60 output tokens/s"
  void take_throughput(std::string_view line) {
    for (const std::string& part : split(line, ',')) {
      const std::vector<std::string> words = words_in(part);
      const auto number = words.empty() ? std::nullopt : number_in(words[0]);
      if (!number) continue;
      const std::string unit(trim(trim(part).substr(words[0].size())));
      if (unit == "requests/s") result_.add("step", "requests_per_second", *number);
      if (unit == "tokens/s" || unit == "total tokens/s") {
        result_.add("step", "tokens_per_second", *number);
      }
      if (unit == "output tokens/s") result_.add("step", "output_tokens_per_second", *number);
    }
  }

  // "Initializing a V1 LLM engine (v0.9.2) with config: model='meta-llama/Llama-3.1-8B', .."
  void take_facts(std::string_view line) {
    if (line.find(" LLM engine (v") == std::string_view::npos) return;
    if (const auto version = between(line, " LLM engine (v", ")")) {
      reports_.add_fact("version", std::nullopt, std::string(version->substr(0, 60)));
    }
    if (const auto model = between(line, "config: model='", "'")) {
      reports_.add_fact("model", std::nullopt, std::string(model->substr(0, 200)));
    }
  }

  VllmReports& reports_;
  VllmResult result_;
  bool in_block_ = false;
};

// The documents of a file: one, or one a line (`--append-result`). None if it is no JSON.
std::vector<BenchmarkJson> documents_in(std::string_view text) {
  if (!text.starts_with('{')) return {};
  if (is_nested_too_deeply(text)) refuse_report(kVllm, "its report is " + nested_too_deeply());
  const JsonText whole = parse_json(text);
  if (whole.value.is_object()) return {whole.value};
  std::vector<BenchmarkJson> documents;
  for (const std::string& line : split(text, '\n')) {
    if (trim(line).empty()) continue;
    JsonText parsed = parse_json(line);
    if (!parsed.value.is_object()) {
      refuse_report(kVllm, fmt::format("its report is not JSON: column {}: {}",
                                       whole.mistake_at + 1, whole.mistake));
    }
    documents.push_back(std::move(parsed.value));
  }
  return documents;
}

}  // namespace

std::vector<Report> read_vllm(std::string_view text) {
  VllmReports reports;
  const std::vector<BenchmarkJson> documents = documents_in(trim(text));
  for (const BenchmarkJson& document : documents) read_vllm_json(document, reports);
  if (documents.empty()) {
    VllmText printed(reports);
    for (const std::string& line : split(text, '\n')) {
      printed.take(trim(without_colours(line)));
    }
    printed.finish();
  }
  return reports.finish();
}

}  // namespace sweepd::command
