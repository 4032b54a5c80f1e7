#include "workloads/command/output_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>
#include <variant>

#include "runner/base/text.h"
#include "workloads/command/report_file.h"

namespace sweepd::command {
namespace {

void take_reading(const Report& report, const RunParams& run, Reading& reading) {
  if (const auto* step = std::get_if<StepReport>(&report)) {
    const bool warmup = !step->once && step->warmup.value_or(step->step < run.warmup);
    reading.steps.push_back({step->once ? 0 : step->step, warmup, step->samples});
  } else if (const auto* fact = std::get_if<FactReport>(&report)) {
    reading.facts.push_back({fact->name, fact->number, fact->text});
  }
}

}  // namespace

OutputReader::OutputReader(const Params& params)
    : format_(params.reports), patterns_(params.patterns) {
  const bool is_written = !params.reports_file.empty();
  if (format_ == "samples" || format_ == "nothing") {
    if (!is_written && params.reports_map.empty()) return;
    throw std::invalid_argument(
        fmt::format("reports: `{}` is no format of a file or of a map", format_));
  }
  is_of_file_ = is_written || !is_of_lines(format_);
  may_be_printed_ = is_of_file_ && !is_written;
  const auto source = is_written ? CsvTable::Source::kFile : CsvTable::Source::kOutput;
  if (is_of_lines(format_) || !params.reports_map.empty()) {
    lines_format_.emplace(format_, params.reports_map, source);
  }
}

std::vector<Report> OutputReader::read(std::string_view line) {
  std::vector<Report> reports = patterns_.read(line);
  if (lines_format_ && !is_of_file_) {
    std::ranges::move(lines_format_->read(line), std::back_inserter(reports));
  }
  ++lines_;
  if (!reports.empty()) ++understood_;
  if (may_be_printed_ && output_.size() < kMostOutput) output_.append(line).append("\n");
  return reports;
}

std::vector<Report> OutputReader::read_file(const std::optional<std::string>& file) {
  if (lines_format_) return lines_format_->read_file(file ? *file : output_);
  return read_report_file(format_, file ? *file : output_);
}

std::string OutputReader::no_step(bool after_warmup) const {
  const std::string behind = after_warmup ? " after its warm-up" : "";
  const std::string missing = lines_format_ ? lines_format_->unmatched() : "";
  if (!missing.empty()) {
    return fmt::format("the program reported no step{}; `map` of `reports` names {}", behind,
                       missing);
  }
  return fmt::format(
      "the program exited with code 0 but reported no step{}: it must write lines such as "
      "{{\"step\":0,\"time\":1.5}} to the descriptor $SWEEPD_METRICS_FD, or `patterns` must find "
      "them in its output; for a program that reports nothing set `reports: nothing`",
      behind);
}

std::vector<Report> OutputReader::facts() const {
  std::vector<Report> facts = patterns_.finish();
  if (lines_format_) std::ranges::move(lines_format_->finish(), std::back_inserter(facts));
  if (!patterns_.empty() || (lines_format_ && !is_of_file_)) {
    facts.emplace_back(FactReport{"output.lines", static_cast<double>(lines_), ""});
    facts.emplace_back(FactReport{"output.understood", static_cast<double>(understood_), ""});
  }
  return facts;
}

Reading reread(const Params& params, const RunParams& run, const StoredOutput& output) {
  Reading reading;
  OutputReader reader(params);
  for (const std::string& line : split(output.log, '\n')) {
    for (const Report& report : reader.read(line)) take_reading(report, run, reading);
  }
  if (reader.is_of_file() && !is_file_of_other_rank(params, output.rank)) {
    for (const Report& report : reader.read_file(kept_report(params, run, output))) {
      take_reading(report, run, reading);
    }
  }
  for (const Report& report : reader.facts()) take_reading(report, run, reading);
  return reading;
}

}  // namespace sweepd::command
