#include "workloads/command/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

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

namespace {

// A carriage return ends a line too, as in output.
std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n')) {
    std::string_view rest = line;
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    std::ranges::move(split(rest, '\r'), std::back_inserter(lines));
  }
  return lines;
}

}  // namespace

std::vector<Report> read_report_file(std::string_view format, std::string_view text) {
  if (format == "llama-bench") return checked_reports(format, read_llama_bench(text));
  if (format == "vllm") return checked_reports(format, read_vllm(text));
  const nlohmann::ordered_json file = parse_json_report(format, text);
  if (format == "hyperfine") return checked_reports(format, read_hyperfine(file));
  if (format == "google-benchmark") return checked_reports(format, read_google_benchmark(file));
  return checked_reports(format, read_pytest_benchmark(file));
}

LineFormat::LineFormat(std::string format, std::string_view map, CsvTable::Source source)
    : format_(std::move(format)), names_(map), csv_(names_, source), ndjson_(names_) {
  if (trim(map).empty() || format_ == "ndjson" || format_ == "csv") return;
  throw std::invalid_argument(
      fmt::format("reports: map: it is for csv and ndjson; {} names its figures itself", format_));
}

std::vector<Report> LineFormat::read(std::string_view line) {
  ++lines_;
  if (format_ == "csv") return csv_.read(line, lines_);
  if (format_ == "nccl-tests") return checked_reports(format_, nccl_.read(line, lines_));
  if (format_ == "torchtitan") return checked_reports(format_, torchtitan_.read(line));
  return ndjson_.read(line, lines_);
}

std::vector<Report> LineFormat::read_file(std::string_view text) {
  if (format_ == "ndjson") return ndjson_.read_file(text);
  std::vector<Report> reports;
  for (const std::string& line : split_lines(text)) {
    std::ranges::move(read(line), std::back_inserter(reports));
  }
  return reports;
}

std::vector<Report> LineFormat::finish() const {
  std::vector<Report> found = names_.finish();
  std::ranges::move(nccl_.facts(), std::back_inserter(found));
  std::ranges::move(torchtitan_.facts(), std::back_inserter(found));
  for (const auto& [name, omitted] : {std::pair{"csv.omitted", csv_.omissions()},
                                      std::pair{"ndjson.omitted", ndjson_.omissions()}}) {
    if (!omitted.empty()) found.emplace_back(FactReport{name, std::nullopt, omitted});
  }
  return found;
}

}  // namespace sweepd::command
