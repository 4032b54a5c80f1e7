#include "workloads/command/vllm_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "runner/base/text.h"
#include "workloads/command/benchmark_json.h"
#include "workloads/command/format_parts.h"

namespace sweepd::command {
namespace {

constexpr double kMsPerSecond = 1e3;

struct VllmFigure {
  std::string_view name;  // in JSON, or what is printed before the colon
  std::string_view metric;
  double scale = 1;
};

constexpr VllmFigure kFigures[] = {
    {"elapsed_time", "time", kMsPerSecond},
    {"duration", "time", kMsPerSecond},
    {"Benchmark duration (s)", "time", kMsPerSecond},
    {"avg_latency", "time", kMsPerSecond},
    {"std_latency", "std_time", kMsPerSecond},
    {"request_throughput", "requests_per_second"},
    {"Request throughput (req/s)", "requests_per_second"},
    {"request_goodput", "good_requests_per_second"},
    {"Request goodput (req/s)", "good_requests_per_second"},
    {"output_throughput", "output_tokens_per_second"},
    {"Output token throughput (tok/s)", "output_tokens_per_second"},
    {"Input token throughput (tok/s)", "input_tokens_per_second"},
    {"total_token_throughput", "tokens_per_second"},
    {"Total token throughput (tok/s)", "tokens_per_second"},
    {"Total Token throughput (tok/s)", "tokens_per_second"},
    {"max_output_tokens_per_s", "peak_output_tokens_per_second"},
    {"Peak output token throughput (tok/s)", "peak_output_tokens_per_second"},
    {"max_concurrent_requests", "peak_concurrent_requests"},
    {"completed", "successful_requests"},
    {"failed", "failed_requests"},
    {"Total generated tokens", "total_output_tokens"},
    {"Total num prompt tokens", "total_input_tokens"},
    {"Total num output tokens", "total_output_tokens"},
};

const VllmFigure* figure_of(std::string_view name) {
  const auto* found = std::ranges::find(kFigures, name, &VllmFigure::name);
  return found == std::end(kFigures) ? nullptr : found;
}

// A latency of requests: "mean_ttft_ms" and "Mean TTFT (ms)" are `mean_time` of `ttft`.
std::optional<std::pair<std::string, std::string>> latency_of(std::string_view name) {
  const std::string plain = label_name(name);
  constexpr std::string_view kMs = "_ms";
  const std::size_t bar = plain.find('_');
  if (!plain.ends_with(kMs) || bar == std::string::npos || bar + kMs.size() >= plain.size()) {
    return std::nullopt;
  }
  const std::string which = plain.substr(0, bar);
  const bool is_percentile = which.size() > 1 && which[0] == 'p' &&
                             which.find_first_not_of("0123456789", 1) == std::string::npos;
  if (which != "mean" && which != "median" && which != "std" && !is_percentile) return std::nullopt;
  return std::pair(plain.substr(bar + 1, plain.size() - bar - 1 - kMs.size()), which + "_time");
}

}  // namespace

bool is_vllm_setting(std::string_view name) {
  constexpr std::array<std::string_view, 6> kSettings{"num_prompts",
                                                      "request_rate",
                                                      "burstiness",
                                                      "max_concurrency",
                                                      "Maximum request concurrency",
                                                      "Request rate configured (RPS)"};
  return std::ranges::find(kSettings, name) != kSettings.end();
}

bool is_vllm_figure(std::string_view name) {
  return figure_of(name) != nullptr || latency_of(name);
}

std::string label_name(std::string_view label) {
  std::string name;
  for (const char c : plain_name(label, "_")) {
    if (c != '_' || (!name.empty() && name.back() != '_')) name += c;
  }
  while (name.ends_with('_')) name.pop_back();
  return name;
}

void VllmResult::add(std::string phase, std::string metric, double value) {
  if (metric.empty() || !known_.insert({phase, metric}).second) return;
  samples_.push_back(sample_of(std::move(phase), std::move(metric), value));
}

void VllmResult::add(std::string_view name, double value) {
  if (const VllmFigure* figure = figure_of(name)) {
    add("step", std::string(figure->metric), value * figure->scale);
  } else if (const auto latency = latency_of(name)) {
    add(latency->first, latency->second, value);
  } else {
    add("step", label_name(name), value);
  }
}

double VllmResult::of(std::string_view metric) const {
  const auto found = std::ranges::find_if(
      samples_, [&](const Sample& each) { return each.phase == "step" && each.metric == metric; });
  return found == samples_.end() ? 0 : found->value;
}

std::vector<Sample> VllmResult::take() {
  known_.clear();
  return std::exchange(samples_, {});
}

void VllmReports::add_fact(const std::string& name, std::optional<double> number,
                           std::string text) {
  reports_.emplace_back(FactReport{"vllm." + label_name(name), number, std::move(text)});
}

void VllmReports::add_time(double ms) {
  add_step({sample_of("step", "time", ms)});
}

void VllmReports::add(VllmResult& result) {
  if (result.empty()) return;
  const double failed = result.of("failed_requests");
  const double all = failed + result.of("successful_requests");
  if (failed > 0 && failed == all) refuse_report(kVllm, fmt::format("all {} requests failed", all));
  if (failed > 0) warnings_.push_back(fmt::format("{} of {} requests failed", failed, all));
  add_step(result.take());
}

// "Engine 000: Avg prompt throughput: 1254.4 tokens/s, .. Running: 10 reqs, GPU KV cache usage:
// 57.9%"
void VllmReports::add_engine_line(std::string_view line) {
  constexpr std::size_t kLongest = 2000;
  std::string phase = "engine";
  constexpr std::string_view kEngine = "Engine ";
  if (const std::size_t at = line.find(kEngine); at != std::string_view::npos) {
    const std::string_view index = line.substr(at + kEngine.size(), 3);
    if (const auto number = number_in(index); number && *number > 0) {
      phase = "engine_" + label_name(index);
    }
  }
  std::vector<Sample> samples;
  for (const std::string& part :
       split(line.substr(line.find("Avg prompt throughput"), kLongest), ',')) {
    const std::size_t colon = part.rfind(": ");
    if (colon == std::string::npos) continue;
    std::string name = label_name(trim(part.substr(0, colon)));
    std::vector<std::string> words = words_in(part.substr(colon + 2));
    if (words.empty()) continue;
    while (words[0].ends_with('.')) words[0].pop_back();
    const bool is_share = words[0].ends_with('%');
    if (is_share) words[0].pop_back();
    const auto value = number_in(words[0]);
    if (!value) continue;
    const std::string unit = words.size() > 1 ? words[1] : "";
    if (unit == "tokens/s") {
      if (name.starts_with("avg_")) name.erase(0, 4);
      if (name.ends_with("_throughput")) name.resize(name.size() - 11);
      name += "_tokens_per_second";
    } else if (unit == "reqs") {
      name += "_requests";
    } else if (is_share) {
      name += "_share";
    }
    const bool is_new = std::ranges::find(samples, name, &Sample::metric) == samples.end();
    if (is_new) samples.push_back(sample_of(phase, name, is_share ? *value / 100 : *value));
  }
  if (samples.empty()) return;
  has_steps_ = true;
  reports_.emplace_back(step_of(engine_steps_[phase]++, std::move(samples)));
}

void VllmReports::add_step(std::vector<Sample> samples) {
  has_steps_ = true;
  reports_.emplace_back(step_of(next_step_++, std::move(samples)));
}

std::vector<Report> VllmReports::finish() {
  if (!has_steps_) {
    refuse_report(kVllm,
                  "there is no result of `vllm bench` and no line of the engine's throughput");
  }
  if (has_means_) reports_.emplace_back(only_means_of({"step"}));
  if (!warnings_.empty()) reports_.emplace_back(warning_of(kVllm, join(warnings_, "; ")));
  return std::move(reports_);
}

}  // namespace sweepd::command
