// Reads figures off a program's output: by patterns, and in the format that it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/command/formats.h"
#include "workloads/command/patterns.h"
#include "workloads/command/program_report.h"

namespace sweepd::command {

class OutputReader {
 public:
  // Throws like Patterns.
  OutputReader(const std::string& format, std::string_view patterns);

  // Returns the reports of a line. Throws std::runtime_error or std::invalid_argument that names
  // the mistake and where it is.
  std::vector<Report> read(std::string_view line);

  bool has_patterns() const { return !patterns_.empty(); }
  // Whether `read_file` has to be asked at the program's end.
  bool is_of_file() const { return is_of_file_; }
  // Returns the reports of what the program wrote to `{report}`, else of all that it printed.
  std::vector<Report> read_file(const std::optional<std::string>& file) const;

  // How many lines there were and how many were understood, if any may be, and what was not read.
  std::vector<Report> facts() const;

 private:
  static constexpr std::size_t kMostOutput = 64 << 20;  // bytes of a report that is printed

  std::string format_;
  bool is_of_file_ = false;
  Patterns patterns_;
  std::optional<LineFormat> lines_format_;
  std::string output_;  // all of it if it may be the report
  std::int64_t lines_ = 0, understood_ = 0;
};

}  // namespace sweepd::command
