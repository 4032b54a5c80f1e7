#include "workloads/command/output_reader.h"

#include <algorithm>
#include <iterator>

namespace sweepd::command {

OutputReader::OutputReader(const std::string& format, std::string_view patterns)
    : format_(format), patterns_(patterns) {
  if (format == "samples" || format == "nothing") return;
  is_of_file_ = !is_of_lines(format);
  if (!is_of_file_) lines_format_.emplace(format);
}

std::vector<Report> OutputReader::read(std::string_view line) {
  std::vector<Report> reports = patterns_.read(line);
  if (lines_format_) std::ranges::move(lines_format_->read(line), std::back_inserter(reports));
  ++lines_;
  if (!reports.empty()) ++understood_;
  if (is_of_file_ && output_.size() < kMostOutput) output_.append(line).append("\n");
  return reports;
}

std::vector<Report> OutputReader::read_file(const std::optional<std::string>& file) const {
  return read_report_file(format_, file ? *file : output_);
}

std::vector<Report> OutputReader::facts() const {
  std::vector<Report> facts = patterns_.finish();
  if (lines_format_) std::ranges::move(lines_format_->finish(), std::back_inserter(facts));
  if (!patterns_.empty() || lines_format_) {
    facts.emplace_back(FactReport{"output.lines", static_cast<double>(lines_), ""});
    facts.emplace_back(FactReport{"output.understood", static_cast<double>(understood_), ""});
  }
  return facts;
}

}  // namespace sweepd::command
