// Reads a table of comma-separated values amid other output. Pure.
//
// The head is a line of names of metrics, perhaps with a phase (`time.load`), `step` and `warmup`.
// One that has `step`, `warmup` or a time is a head wherever it stands, and begins anew; one
// without counts until the first row, since `mlx5_0,mlx5_1` in a log looks like it. A row has as
// many cells and a number as its step; without `step` at least one number, and else single words.
// A cell that is no number, such as `OOM`, is left out and counted. Every other line is ignored.
// Rows without `step` are counted from 0 through all tables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/command/program_report.h"

namespace sweepd::command {

class CsvTable {
 public:
  // Returns the step of the line. Throws std::runtime_error that names line and column of a
  // mistake. `number` is the line's, from 1.
  std::vector<Report> read(std::string_view line, std::int64_t number);

  // "3 cells in 2 rows are no numbers: the first is `OOM`, line 7, column 2"; "" if all are.
  std::string omissions() const;

 private:
  bool takes_head(const std::vector<std::string>& cells);
  bool is_row(const std::vector<std::string>& cells) const;

  std::vector<std::string> names_;  // of the columns
  bool is_sure_ = false;            // that the names are a head
  bool has_rows_ = false;
  std::int64_t next_step_ = 0;
  std::int64_t omitted_cells_ = 0, omitting_rows_ = 0;
  std::string first_omission_;
};

}  // namespace sweepd::command
