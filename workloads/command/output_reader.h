// A program's output: the log that has it, and the figures in it, by patterns or in its own format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/log_cap.h"
#include "workloads/api/workload.h"
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

// Reads what a program printed, or the report that it wrote, again: `sweepctl reread`. Returns
// steps, figures of the whole run and facts; what a program reported on its descriptor is not in
// its output. Throws std::runtime_error or std::invalid_argument that names the mistake.
Reading reread(const Params& params, const RunParams& run, const StoredOutput& output);

// The attempt's log. A program may print without end, so the log is limited while it runs.
class OutputLog {
 public:
  void write(std::string_view line) {
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fputc('\n', stdout);
    since_look_ += static_cast<std::int64_t>(line.size()) + 1;
    if (since_look_ >= LogCap{}.tail_bytes) cap();
  }
  void flush() { std::fflush(stdout); }
  void cap() {
    flush();
    if (const auto capped = cap_own_log(); !capped)
      std::fputs(capped.error().message.c_str(), stderr);
    since_look_ = 0;
  }

 private:
  std::int64_t since_look_ = 0;  // bytes
};

}  // namespace sweepd::command
