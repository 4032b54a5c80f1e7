#include "workloads/command/csv_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "runner/base/printable.h"
#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/model/measurement/sample.h"
#include "runner/model/vocabulary/known_metric.h"
#include "workloads/command/format_parts.h"

namespace sweepd::command {
namespace {

using FieldKind = FieldNames::Kind;
constexpr const char* kCsv = "csv";

std::vector<std::string> texts_of_cells(const std::vector<CsvCell>& cells) {
  std::vector<std::string> texts;
  for (const CsvCell& cell : cells) texts.push_back(cell.text);
  return texts;
}

std::optional<bool> csv_truth(const std::string& text) {
  if (const auto number = number_in(text)) return *number != 0;
  const auto word = parse_boolean(text);
  return word ? std::optional(*word) : std::nullopt;
}

}  // namespace

// A row: its step and its samples.
struct CsvTable::Row {
  std::optional<std::int64_t> step;
  std::optional<bool> warmup;
  std::vector<Sample> samples;
};

std::string CsvTable::Place::text() const {
  return fmt::format("line {}, column {}", line, column + 1);
}

// No log has such a line by chance.
bool CsvTable::is_sure_head(const std::vector<std::string>& names) const {
  return std::ranges::any_of(names, [&](const std::string& name) {
    if (name == "warmup" || FieldNames::is_step(name) || names_.is_mapped(name)) return true;
    const std::size_t dot = name.find('.');
    const bool is_time = mistake_in_metric(name.substr(0, dot)).empty() &&
                         unit_of_metric(name.substr(0, dot)) == "ms";
    return is_time && (dot == std::string::npos || mistake_in_phase(name.substr(dot + 1)).empty());
  });
}

bool CsvTable::takes_names(const std::vector<CsvCell>& cells, char separator) {
  const std::vector<std::string> names = texts_of_cells(cells);
  const bool sure = is_sure_head(names);
  if (source_ == Source::kOutput) {
    if (!are_csv_names(cells, sure) || (!sure && separator != ',')) return false;
    if (!sure && (is_sure_ || has_rows_)) return false;
  } else if (std::ranges::any_of(
                 cells, [](const auto& cell) { return number_in(cell.text).has_value(); })) {
    return false;
  }
  std::multiset<std::string> all(names.begin(), names.end());
  all.erase("");  // of a column that a table has for its own numbers
  if (std::set<std::string>(all.begin(), all.end()).size() != all.size()) return false;
  if (names == columns_) return true;  // a table that repeats its head now and then
  std::vector<FieldNames::Field> fields = names_.fields_of(names);
  if (std::ranges::none_of(fields,
                           [](const auto& field) { return field.kind == FieldKind::kFigure; })) {
    return false;
  }
  columns_ = names;
  fields_ = std::move(fields);
  separator_ = separator;
  is_sure_ = sure;
  has_rows_ = false;
  return true;
}

bool CsvTable::takes_head(std::string_view line) {
  return std::ranges::any_of(kCsvSeparators, [&](char separator) {
    const std::vector<CsvCell> cells = csv_cells(line, separator);
    return (cells.size() > 1 || trim(line) == "time") && takes_names(cells, separator);
  });
}

bool CsvTable::takes_head_of_file(std::string_view line, std::int64_t number) {
  line = trim(without_byte_order_mark(line));
  const bool is_comment = line.starts_with('#');
  if (has_rows_ || (!columns_.empty() && !is_behind_comment_)) {
    return is_comment || texts_of_cells(csv_cells(line, separator_)) == columns_;
  }
  if (takes_head(is_comment ? line.substr(1) : line)) {
    is_behind_comment_ = is_comment;
    return true;
  }
  if (is_comment) return true;
  if (!columns_.empty()) return false;
  const bool is_one_cell = line.find_first_of(kCsvSeparators) == std::string_view::npos;
  if (is_one_cell && takes_names(csv_cells(line, ','), ',')) return true;
  refuse_report(kCsv, fmt::format("line {}: expected the names of columns, each another one: `{}`",
                                  number, brief(line)));
}

bool CsvTable::is_row(const std::vector<CsvCell>& cells) const {
  if (columns_.empty() || cells.size() != columns_.size()) return false;
  const auto step = std::ranges::find(fields_, FieldKind::kStep, &FieldNames::Field::kind);
  if (step != fields_.end()) {
    const CsvCell& cell = cells[static_cast<std::size_t>(step - fields_.begin())];
    return number_in_print(cell.text).has_value();
  }
  const auto is_number = [](const CsvCell& cell) { return number_in_print(cell.text).has_value(); };
  return std::ranges::any_of(cells, is_number) &&
         (source_ == Source::kFile || are_csv_values(cells));
}

std::vector<Report> CsvTable::read(std::string_view line, std::int64_t number) {
  const bool is_file = source_ == Source::kFile;
  if (is_file && trim(line).empty()) return {};
  if (!is_file && columns_.size() != 1 && trim(line) != "time" &&
      line.find_first_of(kCsvSeparators) == std::string_view::npos) {
    return {};
  }
  if (is_file ? takes_head_of_file(line, number) : takes_head(line)) return {};
  const std::vector<CsvCell> cells = csv_cells(line, separator_);
  if (!is_row(cells)) {
    if (is_file && other_lines_++ == 0) first_other_ = number;
    return {};
  }
  has_rows_ = true;
  Row row;
  for (std::size_t i = 0; i < cells.size(); ++i) read_cell(cells[i], {number, i}, row);
  const std::int64_t step = row.step.value_or(next_step_);
  next_step_ = step + 1;
  if (row.samples.empty()) return {};
  StepReport report = step_of(step, std::move(row.samples));
  report.warmup = row.warmup;
  return {std::move(report)};
}

void CsvTable::read_cell(const CsvCell& cell, const Place& place, Row& row) {
  FieldNames::Field& field = fields_[place.column];
  if (cell.text.empty() || columns_[place.column].empty()) return;  // the row does not have it
  if (field.kind == FieldKind::kTaken) {
    counted_[columns_[place.column]].taken = true;
    return;
  }
  if (field.kind == FieldKind::kWarmup) {
    if (const auto warmup = csv_truth(cell.text)) {
      row.warmup = warmup;
      return;
    }
  }
  const auto printed = number_in_print(cell.text);
  if (!printed && has_decimal_comma(cell.text)) checked_number(cell, 0, place);
  if (!printed) return omit(cell, place);
  const double number = checked_number(cell, *printed, place);
  if (field.kind == FieldKind::kStep) {
    row.step = step_number(number);
    if (!row.step) {
      refuse_report(kCsv, fmt::format("{}: `{}` is {}; expected an integer from 0", place.text(),
                                      brief(columns_[place.column]), cell.text));
    }
    return;
  }
  ++counted_[columns_[place.column]].numbers;
  names_.store(field);
  row.samples.push_back(
      sample_of(field.figure.phase, field.figure.metric, number * field.figure.scale));
  const std::string mistake = mistake_in_sample(row.samples.back());
  if (!mistake.empty()) refuse_report(kCsv, fmt::format("{}: {}", place.text(), mistake));
}

double CsvTable::checked_number(const CsvCell& cell, double number, const Place& place) const {
  // Between semicolons a comma is the decimal one of half the world.
  const bool unclear = has_decimal_comma(cell.text) ||
                       (separator_ == ';' && cell.text.find(',') != std::string::npos);
  if (!unclear) return number;
  refuse_report(kCsv,
                fmt::format("{}: `{}` has a comma that may be a decimal one; expected a point "
                            "for decimals",
                            place.text(), brief(cell.text)));
}

void CsvTable::omit(const CsvCell& cell, const Place& place) {
  Counted& counted = counted_[columns_[place.column]];
  if (counted.omitted++ > 0) return;
  counted.first = fmt::format("`{}`, {}", brief(cell.text), place.text());
  counted.first_at = {place.line, place.column};
}

std::vector<std::string> CsvTable::texts_of_columns() const {
  std::vector<std::string> names;
  for (const std::string& column : columns_) {
    const auto counted = counted_.find(column);
    if (counted == counted_.end()) continue;
    if (counted->second.numbers == 0 && counted->second.omitted > 0) {
      names.push_back("`" + brief(column) + "`");
    }
  }
  return names;
}

std::string CsvTable::omissions() const {
  std::vector<std::string> parts;
  std::vector<std::string> taken;
  std::int64_t cells = 0;
  const Counted* first = nullptr;
  for (const auto& [column, counted] : counted_) {
    if (counted.taken) taken.push_back("`" + brief(column) + "`");
    if (counted.numbers == 0 || counted.omitted == 0) continue;
    cells += counted.omitted;
    if (first == nullptr || counted.first_at < first->first_at) first = &counted;
  }
  if (cells > 0) {
    parts.push_back(fmt::format("{} no number: the first is {}",
                                cells == 1 ? "1 cell is" : fmt::format("{} cells are", cells),
                                first->first));
  }
  if (const auto texts = texts_of_columns(); !texts.empty()) {
    parts.push_back(fmt::format("column{0} {1} ha{2} no numbers", texts.size() == 1 ? "" : "s",
                                join(texts, ", "), texts.size() == 1 ? "s" : "ve"));
  }
  if (!taken.empty()) parts.push_back("the map has another " + join(taken, ", "));
  if (other_lines_ > 0) {
    parts.push_back(fmt::format(
        "{} no row: the first is line {}",
        other_lines_ == 1 ? "1 line is" : fmt::format("{} lines are", other_lines_), first_other_));
  }
  return join(parts, "; ");
}

}  // namespace sweepd::command
