#include "workloads/command/csv_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "runner/base/text.h"
#include "runner/model/known_metric.h"
#include "runner/model/sample.h"
#include "workloads/command/format_parts.h"

namespace sweepd::command {
namespace {

using Cells = std::vector<std::string>;

Cells cells_of(std::string_view line) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  Cells cells;
  for (const std::string& cell : split(line, ',')) {
    std::string_view text = trim(cell);
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
      text = text.substr(1, text.size() - 2);
    }
    cells.emplace_back(text);
  }
  return cells;
}

// "time.load" is the metric `time` of phase `load`; "wall time (s)" is no name that sweepd takes.
Sample csv_sample(const std::string& name, double value) {
  const std::size_t dot = name.find('.');
  return sample_of(dot == std::string::npos ? "step" : name.substr(dot + 1), name.substr(0, dot),
                   value);
}

bool is_counter_of_steps(const std::string& name) {
  return name == "step" || name == "warmup";
}

// Every cell is the name of a metric, perhaps with a phase, each another one, and there is one
// beside the step.
bool is_csv_head(const Cells& cells) {
  return std::ranges::all_of(cells,
                             [](const std::string& cell) {
                               return !number_in(cell) &&
                                      mistake_in_sample(csv_sample(cell, 0)).empty();
                             }) &&
         !std::ranges::all_of(cells, is_counter_of_steps) &&
         std::set<std::string>(cells.begin(), cells.end()).size() == cells.size();
}

// No log has such a line by chance.
bool is_surely_head(const Cells& head) {
  return std::ranges::any_of(head, [](const std::string& name) {
    return is_counter_of_steps(name) || unit_of_metric(csv_sample(name, 0).metric) == "ms";
  });
}

// `text` is the cell that has this value.
std::int64_t csv_step(double value, std::string_view text, const std::string& place) {
  constexpr double kMax = 0x1p53;  // above, not every integer is a double
  if (!(value >= 0 && value <= kMax) || value != std::floor(value)) {
    refuse_report("csv", fmt::format("{}: `step` is {}; expected an integer from 0", place, text));
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace

bool CsvTable::takes_head(const Cells& cells) {
  if (!is_csv_head(cells)) return false;
  const bool sure = is_surely_head(cells);
  if (!sure && (is_sure_ || has_rows_)) return false;
  if (cells == names_) return true;  // a table that repeats its head now and then
  names_ = cells;
  is_sure_ = sure;
  has_rows_ = false;
  return true;
}

bool CsvTable::is_row(const Cells& cells) const {
  if (names_.empty() || cells.size() != names_.size()) return false;
  const auto step = std::ranges::find(names_, "step");
  if (step != names_.end()) {
    return number_in(cells[static_cast<std::size_t>(step - names_.begin())]).has_value();
  }
  const auto is_number = [](const std::string& cell) { return number_in(cell).has_value(); };
  const auto is_word = [](const std::string& cell) { return cell.find(' ') == std::string::npos; };
  return std::ranges::any_of(cells, is_number) && std::ranges::all_of(cells, is_word);
}

std::vector<Report> CsvTable::read(std::string_view line, std::int64_t number) {
  if (line.find(',') == std::string_view::npos && trim(line) != "time" && names_.size() != 1) {
    return {};
  }
  const Cells cells = cells_of(line);
  if (takes_head(cells) || !is_row(cells)) return {};
  has_rows_ = true;
  std::int64_t step = next_step_;
  std::optional<bool> warmup;
  std::vector<Sample> samples;
  std::int64_t omitted = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string place = fmt::format("line {}, column {}", number, i + 1);
    const auto value = number_in(cells[i]);
    if (!value) {
      if (cells[i].empty()) continue;  // the row does not have it
      if (++omitted == 1 && first_omission_.empty()) {
        first_omission_ = fmt::format("`{}`, {}", cells[i].substr(0, 40), place);
      }
    } else if (names_[i] == "step") {
      step = csv_step(*value, cells[i], place);
    } else if (names_[i] == "warmup") {
      warmup = *value != 0;
    } else {
      samples.push_back(csv_sample(names_[i], *value));
      const std::string mistake = mistake_in_sample(samples.back());
      if (!mistake.empty()) refuse_report("csv", fmt::format("{}: {}", place, mistake));
    }
  }
  next_step_ = step + 1;
  omitted_cells_ += omitted;
  if (omitted > 0) ++omitting_rows_;
  if (samples.empty()) return {};
  StepReport report = step_of(step, std::move(samples));
  report.warmup = warmup;
  return {std::move(report)};
}

std::string CsvTable::omissions() const {
  if (omitted_cells_ == 0) return "";
  return fmt::format("{} {} in {} {} no number: the first is {}", omitted_cells_,
                     omitted_cells_ == 1 ? "cell" : "cells", omitting_rows_,
                     omitting_rows_ == 1 ? "row is" : "rows are", first_omission_);
}

}  // namespace sweepd::command
