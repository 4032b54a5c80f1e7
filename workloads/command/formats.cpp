#include "workloads/command/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "runner/base/text.h"
#include "workloads/command/benchmark_files.h"
#include "workloads/command/format_parts.h"
#include "workloads/command/json_text.h"
#include "workloads/command/llama_bench.h"
#include "workloads/command/vllm_report.h"

namespace sweepd::command {

const std::vector<std::string>& format_names() {
  static const std::vector<std::string> names{"ndjson",
                                              "csv",
                                              "hyperfine",
                                              "google-benchmark",
                                              "pytest-benchmark",
                                              "nccl-tests",
                                              "llama-bench",
                                              "torchtitan",
                                              "vllm"};
  return names;
}

bool is_of_lines(std::string_view format) {
  return format == "ndjson" || format == "csv" || format == "nccl-tests" || format == "torchtitan";
}

std::vector<Report> read_report_file(std::string_view format, std::string_view text) {
  if (format == "llama-bench") return checked_reports(format, read_llama_bench(text));
  if (format == "vllm") return checked_reports(format, read_vllm(text));
  const nlohmann::ordered_json file = parse_json_report(format, text);
  if (format == "hyperfine") return checked_reports(format, read_hyperfine(file));
  if (format == "google-benchmark") return checked_reports(format, read_google_benchmark(file));
  return checked_reports(format, read_pytest_benchmark(file));
}

std::vector<Report> LineFormat::read(std::string_view line) {
  ++lines_;
  if (format_ == "csv") return csv_.read(line, lines_);
  if (format_ == "nccl-tests") return checked_reports(format_, nccl_.read(line, lines_));
  if (format_ == "torchtitan") return checked_reports(format_, torchtitan_.read(line));
  const std::string_view text = trim(line);
  if (text.empty() || text.front() != '{') return {};
  auto report = parse_report(text);
  if (!report) {
    refuse_report(format_, fmt::format("line {}: {}: `{}`", lines_, report.error().message,
                                       text.substr(0, 200)));
  }
  return {std::move(*report)};
}

std::vector<Report> LineFormat::finish() const {
  std::vector<Report> found = nccl_.facts();
  std::ranges::move(torchtitan_.facts(), std::back_inserter(found));
  if (const std::string omitted = csv_.omissions(); !omitted.empty()) {
    found.emplace_back(FactReport{"csv.omitted", std::nullopt, omitted});
  }
  return found;
}

}  // namespace sweepd::command
