// Reads a table of values with commas, tabs or semicolons between them, amid other output or as a
// file. Pure.
//
// The head is a line of names (field_names.h). In output, a line that names a step, `warmup`, a
// time or a mapped name is a head anywhere and starts a new table; only such a head may have spaces
// in names, or tabs or semicolons as separators. Another head counts until the first row, because
// `mlx5_0,mlx5_1` in a log looks like one. A row has as many cells as the head, and a number as its
// step; without a step it has at least one number, and otherwise single words, dates and quoted
// texts. Other lines are ignored. In a file the head is the first line, or the last one after a
// `#`, and all other lines are rows.
//
// A cell without a number, such as `OOM`, is left out and counted. Rows without a step are counted
// from 0 through all tables.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/command/csv_cells.h"
#include "workloads/command/field_names.h"

namespace sweepd::command {

class CsvTable {
 public:
  enum class Source { kOutput, kFile };
  CsvTable(FieldNames& names, Source source) : names_(names), source_(source) {}

  // Returns the step of the line. Throws std::runtime_error that names line and column of a
  // mistake. `number` is the line's, from 1.
  std::vector<Report> read(std::string_view line, std::int64_t number);

  // "3 cells are no number: the first is `OOM`, line 7, column 2; columns `date`, `host` have no
  // numbers"; "" if nothing was left out.
  std::string omissions() const;

 private:
  struct Counted {
    std::int64_t numbers = 0, omitted = 0;
    std::pair<std::int64_t, std::size_t> first_at;  // line and column
    std::string first;                              // "`OOM`, line 7, column 2"
    bool taken = false;                             // the map has another one
  };
  struct Place {
    std::int64_t line = 0;
    std::size_t column = 0;  // from 0
    std::string text() const;
  };
  struct Row;

  bool takes_head(std::string_view line);
  bool takes_head_of_file(std::string_view line, std::int64_t number);
  bool takes_names(const std::vector<CsvCell>& cells, char separator);
  bool is_sure_head(const std::vector<std::string>& names) const;
  bool is_row(const std::vector<CsvCell>& cells) const;
  void read_cell(const CsvCell& cell, const Place& place, Row& row);
  double checked_number(const CsvCell& cell, double number, const Place& place) const;
  void omit(const CsvCell& cell, const Place& place);
  std::vector<std::string> texts_of_columns() const;

  FieldNames& names_;
  Source source_;
  std::vector<std::string> columns_;       // their names
  std::vector<FieldNames::Field> fields_;  // what they are
  char separator_ = ',';
  bool is_sure_ = false;            // that the names are a head
  bool has_rows_ = false;           // below this head
  bool is_behind_comment_ = false;  // the head of a file: a later line may be better
  std::int64_t next_step_ = 0;
  std::map<std::string, Counted> counted_;          // by column
  std::int64_t other_lines_ = 0, first_other_ = 0;  // of a file
};

}  // namespace sweepd::command
