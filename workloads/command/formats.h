// Reads what benchmark programs write that people have already, as if they had reported steps:
//
//   ndjson             lines of output that are JSON objects, as on SWEEPD_METRICS_FD
//   csv                a table in the output: a line of names, then a step a line
//   hyperfine          --export-json: a run is a step; user_time and system_time of the whole run
//   google-benchmark   JSON: a repetition is a step, with cpu_time and the counters
//   pytest-benchmark   --benchmark-json: a round is a step; where the file has none, their mean
//   nccl-tests         the table in the output: a line is a step, out of place; phase `in_place`
//
// Times become ms. Where a file has several benchmarks, each is a phase, named like it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workloads/command/program_report.h"

namespace sweepd::command {

// Names for `reports`, apart from `samples` and `nothing`.
const std::vector<std::string>& format_names();

// Whether the format is read line by line from the output; else a whole file is (`{report}`, or all
// of the output if the program wrote none).
bool is_of_lines(std::string_view format);

// A phase's name for a benchmark's: "BM_Sort/1024" is "bm_sort.1024".
std::string phase_name(std::string_view benchmark);

// The files. Throw std::runtime_error that says what is not as expected.
std::vector<Report> read_report_file(std::string_view format, std::string_view text);

// The lines of output. Throws std::runtime_error that names the mistake.
class LineFormat {
 public:
  explicit LineFormat(std::string format) : format_(std::move(format)) {}
  // Returns the reports of the line; nothing for a line that is none.
  std::vector<Report> read(std::string_view line);

 private:
  std::vector<Report> read_csv(std::string_view line);
  std::vector<Report> read_nccl(std::string_view line);

  std::string format_;
  std::vector<std::string> names_;  // of the columns of a CSV table
  std::int64_t next_step_ = 0;
};

}  // namespace sweepd::command
