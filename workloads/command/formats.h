// Reads what benchmark programs write that people have already, as if they had reported steps:
//
//   ndjson             lines of output that are JSON objects (ndjson.h)
//   csv                a table in the output: a line of names, then a step a line (csv_table.h)
//   hyperfine          --export-json: a run is a step; user_time and system_time of the whole run
//   google-benchmark   JSON: a repetition is a step, with cpu_time and the counters
//   pytest-benchmark   --benchmark-json: a round is a step; where the file has none, their mean
//   nccl-tests         the table in the output: a line is a step (nccl_table.h)
//   llama-bench        -o jsonl, json or csv: a repetition is a step (llama_bench.h)
//   torchtitan         the lines of its steps (torchtitan_log.h)
//   vllm               what `vllm bench` prints or writes, and lines of the engine (vllm_report.h)
//
// Times become ms. Where a file has several benchmarks, each is a phase (BenchmarkPhases). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/command/csv_table.h"
#include "workloads/command/nccl_table.h"
#include "workloads/command/ndjson.h"
#include "workloads/command/program_report.h"
#include "workloads/command/torchtitan_log.h"

namespace sweepd::command {

// Names for `reports`, apart from `samples` and `nothing`.
const std::vector<std::string>& format_names();

// Whether the format is read line by line from the output; else a whole file is (`{report}`, or all
// of the output if the program wrote none).
bool is_of_lines(std::string_view format);

// The files. Throw std::runtime_error that says what is not as expected.
std::vector<Report> read_report_file(std::string_view format, std::string_view text);

// The lines of output, all of them in order, or of a file that the program wrote.
class LineFormat {
 public:
  // Throws std::invalid_argument about the map (field_names.h), which ndjson and csv may have.
  explicit LineFormat(std::string format, std::string_view map = "",
                      CsvTable::Source source = CsvTable::Source::kOutput);
  LineFormat(const LineFormat&) = delete;
  LineFormat& operator=(const LineFormat&) = delete;
  // Returns the reports of the line; nothing for a line that is none. Throws std::runtime_error
  // that names the mistake, its line and its column.
  std::vector<Report> read(std::string_view line);
  // The same of all lines at once.
  std::vector<Report> read_file(std::string_view text);
  // Names that the program uses, and what the lines have that is no figure; nothing if all is.
  std::vector<Report> finish() const;
  // The mapped names that never appeared; "" if all did (FieldNames::unmatched).
  std::string unmatched() const { return names_.unmatched(); }

 private:
  std::string format_;
  std::int64_t lines_ = 0;
  FieldNames names_;
  CsvTable csv_;
  NdjsonLines ndjson_;
  NcclTable nccl_;
  TorchtitanLog torchtitan_;
};

}  // namespace sweepd::command
