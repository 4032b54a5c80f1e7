// Reads figures off a program's output: by patterns, and in the format that it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/command/formats.h"
#include "workloads/command/params.h"
#include "workloads/command/patterns.h"
#include "workloads/command/program_report.h"

namespace sweepd::command {

class OutputReader {
 public:
  // Throws like Patterns and LineFormat.
  explicit OutputReader(const Params& params);

  // Returns the reports of a line. Throws std::runtime_error or std::invalid_argument that names
  // the mistake and where it is.
  std::vector<Report> read(std::string_view line);

  bool has_patterns() const { return !patterns_.empty(); }
  // Whether `read_file` has to be asked at the program's end.
  bool is_of_file() const { return is_of_file_; }
  // Returns the reports of what the program wrote to its file, else of all that it printed.
  std::vector<Report> read_file(const std::optional<std::string>& file);

  // How many lines there were and how many were understood, if any may be, and what was not read.
  std::vector<Report> facts() const;
  // Why a program that ended well has no step.
  std::string no_step(bool after_warmup) const;

 private:
  static constexpr std::size_t kMostOutput = 64 << 20;  // bytes of a report that is printed

  std::string format_;
  bool is_of_file_ = false;
  bool may_be_printed_ = false;  // the file: `output_` has it then
  Patterns patterns_;
  std::optional<LineFormat> lines_format_;  // of the output, or of the file
  std::string output_;
  std::int64_t lines_ = 0, understood_ = 0;
};

}  // namespace sweepd::command
