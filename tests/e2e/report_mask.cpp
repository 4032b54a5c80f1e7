#include "tests/e2e/report_mask.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <regex>
#include <span>
#include <sstream>
#include <stdexcept>

#include "runner/base/text.h"
#include "runner/report/cell/report.h"

namespace sweepd::e2e {
namespace {

using Words = std::span<const std::string_view>;

bool contains(Words words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Names of facts that come from a clock, and of those that depend on the processor: the error
// against float64 depends on the order in which its instructions add.
bool is_fact_of_time(std::string_view name) {
  constexpr std::array<std::string_view, 3> kEnds{"_ms", "_gbps", "_share"};
  constexpr std::array<std::string_view, 2> kBegins{"fit.", "profile."};
  constexpr std::array<std::string_view, 1> kNames{"check.largest_error"};
  return contains(kNames, name) ||
         std::any_of(kEnds.begin(), kEnds.end(), [&](auto end) { return name.ends_with(end); }) ||
         std::any_of(kBegins.begin(), kBegins.end(),
                     [&](auto begin) { return name.starts_with(begin); });
}

// A fit to a few buckets may find nothing and then has no facts.
bool may_be_missing(std::string_view metric) {
  return metric.starts_with("fact.fit.");
}

// If one thread of a rank communicates while another computes, the peak depends on how the two
// happen to overlap.
bool races(std::string_view workload, std::string_view metric) {
  constexpr std::array<std::string_view, 3> kOverlapping{"ddp", "fsdp", "sharded_optimizer"};
  return contains(kOverlapping, workload) && metric.starts_with("peak_");
}

bool metric_repeats(std::string_view workload, std::string_view metric) {
  constexpr std::string_view kFact = "fact.";
  if (metric.starts_with(kFact)) return !is_fact_of_time(metric.substr(kFact.size()));
  constexpr std::array<std::string_view, 5> kTimes{"time", "steady_from", "algbw", "busbw", ""};
  const bool of_time = contains(kTimes, metric) || metric.ends_with("_time") ||
                       metric.ends_with("_share") || metric.starts_with("range_time.") ||
                       (metric.starts_with("kernel_") && metric != "kernel_calls") ||
                       (metric.starts_with("operator_") && metric != "operator_calls");
  return !of_time && !races(workload, metric);
}

// Returns the cells of a line of a markdown table, without padding.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) {
      cell += line[i++];
      cell += line[i];
    } else if (line[i] == '|') {
      cells.emplace_back(trim(std::exchange(cell, "")));
    } else {
      cell += line[i];
    }
  }
  return cells;
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += cell.empty() ? " |" : " " + cell + " |";
  return line + "\n";
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  if (what.empty()) return;
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

// "Min (s)" -> "Min"
std::string without_unit(const std::string& header) {
  const std::size_t open = header.rfind(" (");
  return header.ends_with(')') && open != std::string::npos ? header.substr(0, open) : header;
}

enum class Column { kKept, kVarying, kVaryingOrMissing };

class TableMask {
 public:
  TableMask(const Sweep& sweep, const TableSpec& table)
      : workload_(sweep.workload), table_(table), values_(complete_values(table)) {}

  // `lines` are the header, the rule and the rows.
  std::string apply(const std::vector<std::string>& lines) const {
    const auto heads = cells_of(lines.front());
    std::vector<Column> columns;
    for (std::size_t c = 0; c < heads.size(); ++c) {
      columns.push_back(c < table_.rows.size() ? Column::kKept : column(heads[c]));
    }
    auto rule = cells_of(lines[1]);
    for (std::string& cell : rule) cell = cell.ends_with(':') ? "---:" : "---";
    std::vector<std::string> rows;
    for (std::size_t i = 2; i < lines.size(); ++i) {
      auto cells = cells_of(lines[i]);
      for (std::size_t c = 0; c < cells.size() && c < columns.size(); ++c) {
        cells[c] = masked(cells[c], any_row() ? Column::kVaryingOrMissing : columns[c]);
        if (any_row() && !cells[c].empty()) cells[c] = "#";
      }
      rows.push_back(line_of(cells));
    }
    if (sorted_by_figures()) std::sort(rows.begin(), rows.end());
    std::string text = line_of(heads) + line_of(rule);
    for (const std::string& row : rows) text += row;
    return text;
  }

 private:
  // A column's header has the table's columns and then the name of its value. If the table
  // names no values, all columns belong to its only one.
  const TableSpec::Value& value_of(const std::string& header) const {
    if (table_.values.empty()) return values_.front();
    const std::string name = without_unit(header);
    const TableSpec::Value* best = nullptr;
    for (const TableSpec::Value& value : values_) {
      const std::string own = without_unit(value.name);
      const bool named = own == name || value.name == header || name.ends_with(" " + own) ||
                         header.ends_with(" " + value.name);
      if (named && (best == nullptr || own.size() > without_unit(best->name).size())) best = &value;
    }
    if (best == nullptr) throw std::runtime_error("no value of the table heads `" + header + "`");
    return *best;
  }

  Column column(const std::string& header) const {
    const TableSpec::Value& value = value_of(header);
    if (repeats(workload_, value)) return Column::kKept;
    return may_be_missing(value.metric) ? Column::kVaryingOrMissing : Column::kVarying;
  }

  bool sorted_by_figures() const {
    return std::any_of(table_.sort.begin(), table_.sort.end(), [&](std::string_view key) {
      if (key.starts_with('-')) key.remove_prefix(1);
      return std::find(table_.rows.begin(), table_.rows.end(), key) == table_.rows.end();
    });
  }
  // Which rows are the first also differs, unless the figures are the same in every run.
  bool any_row() const {
    return table_.limit > 0 &&
           std::any_of(table_.sort.begin(), table_.sort.end(), [&](std::string_view key) {
             if (key.starts_with('-')) key.remove_prefix(1);
             if (std::ranges::find(table_.rows, key) != table_.rows.end()) return false;
             const auto value = std::ranges::find(values_, key, &TableSpec::Value::name);
             return value == values_.end() || !repeats(workload_, *value);
           });
  }

  static std::string masked(const std::string& cell, Column column) {
    if (column == Column::kKept) return cell;
    if (column == Column::kVaryingOrMissing && cell == "—") return "#";
    std::string text = cell;  // a cell that differs from the baseline in one run may not in the
                              // next
    if (text.starts_with("**") && text.ends_with("**")) text = text.substr(2, text.size() - 4);
    if (text.ends_with('?')) text.pop_back();  // not judged, in this run
    return mask_numbers(text);
  }

  std::string_view workload_;
  const TableSpec& table_;
  std::vector<TableSpec::Value> values_;
};

// Masks the numbers about times that a note has after these words.
std::string mask_note(const std::string& note) {
  constexpr std::string_view kSpeedup = "geometric mean of the speed-ups: ";
  if (const std::size_t at = note.find(kSpeedup); at != std::string::npos) {
    return note.substr(0, at + kSpeedup.size()) + "#";  // which row has the largest varies too
  }
  for (const std::string_view words : {"their means differ by", "- ‡"}) {
    const std::size_t at = note.find(words);
    if (at != std::string::npos) return note.substr(0, at) + mask_numbers(note.substr(at));
  }
  // How many cells could be judged depends on how much alike neighbouring steps are, and the size
  // of a cache on the machine.
  for (const std::string_view words :
       {"than the baseline, by the attempts' medians", "times the last-level cache"}) {
    if (const std::size_t at = note.find(words); at != std::string::npos) {
      return note.substr(0, at + words.size());
    }
  }
  return note;
}

// Removes from the line of marks what depends on how even the steps were, and from a caption when
// and by which version it was measured. Removes a note without other text.
std::string without_chance(const std::string& line) {
  static const std::regex slow(
      "(- |; )(in \\d+ of \\d+ cells )?the mean is .*slow steps move .* less");
  static const std::regex unjudged("(- |; )\\? not judged: .*");
  static const std::regex day("\\d{4}-\\d\\d-\\d\\d( to \\d{4}-\\d\\d-\\d\\d)?");
  static const std::regex version("DATE; sweepd .*");
  std::string kept = std::regex_replace(line, unjudged, "");
  kept = std::regex_replace(kept, slow, "");
  kept = std::regex_replace(kept, day, "DATE");
  return std::regex_replace(kept, version, "DATE; sweepd VERSION");
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

bool repeats(std::string_view workload, const TableSpec::Value& value) {
  constexpr std::array<std::string_view, 3> kAlways{"n", "outcome", "verdict"};
  if (metric_repeats(workload, value.metric)) return true;
  const auto cell = parse_cell(value.cell);
  if (!cell || cell->parts.empty()) return false;
  return std::all_of(cell->parts.begin(), cell->parts.end(), [&](const CellTemplate::Part& part) {
    return part.name.empty() || contains(kAlways, part.name);
  });
}

std::string mask(const std::string& report, const Sweep& sweep,
                 const std::vector<Placeholder>& names) {
  std::istringstream stream(report);
  std::string masked;
  std::vector<std::string> table;
  std::size_t tables = 0;
  const auto flush = [&] {
    if (table.empty()) return;
    if (tables >= sweep.tables.size()) throw std::runtime_error("more tables than the file has");
    masked += TableMask(sweep, sweep.tables[tables++]).apply(std::exchange(table, {}));
  };
  for (std::string line; std::getline(stream, line);) {
    for (const Placeholder& name : names) replace_all(line, name.text, name.instead);
    if (line.starts_with('|')) {
      table.push_back(line);
      continue;
    }
    flush();
    if (line == "No rows.") ++tables;
    // Without a fit, there is no note about its figures.
    const bool of_a_fit = line.starts_with("- ") && line.find("fit.") != std::string::npos;
    const bool of_judged =
        line.starts_with("- ") && (line.find(" rest on one process") != std::string::npos ||
                                   line.find(" rests on one process") != std::string::npos);
    if (of_a_fit || of_judged) continue;
    const std::string kept = without_chance(line);
    if (line.empty() || !kept.empty()) masked += mask_note(kept) + "\n";
  }
  flush();
  return masked;
}

std::string mask_numbers(const std::string& line) {
  std::string masked;
  for (std::size_t i = 0; i < line.size();) {
    if (!is_digit(line[i])) {
      masked += line[i++];
      continue;
    }
    const bool in_word =
        !masked.empty() &&
        (std::isalnum(static_cast<unsigned char>(masked.back())) != 0 || masked.back() == '_');
    if (in_word) {  // "bf16" and "fp32" are names
      while (i < line.size() && is_digit(line[i])) masked += line[i++];
      continue;
    }
    if (!masked.empty() && (masked.back() == '-' || masked.back() == '+')) masked.pop_back();
    const auto continues = [&](std::size_t at) {
      if (at >= line.size()) return false;
      if (is_digit(line[at])) return true;
      const bool next = at + 1 < line.size() && is_digit(line[at + 1]);
      if (line[at] == '.' || line[at] == ',') return next;
      if (line[at] == 'e' && at + 2 < line.size()) {
        return (line[at + 1] == '+' || line[at + 1] == '-') && is_digit(line[at + 2]);
      }
      return (line[at] == '+' || line[at] == '-') && line[at - 1] == 'e' && next;
    };
    do ++i;
    while (continues(i));
    masked += '#';
  }
  return masked;
}

std::string is_disturbance_sql() {
  std::string sql = "0";
  for (const char* like : {"other processes kept %", "the hypervisor took %",
                           "% ranks shared % core%", "the device% was throttled%",
                           "%on the device% the measured steps", "%measured %peak of %"}) {
    sql += std::string(" OR reason LIKE '") + like + "'";
  }
  return "(" + sql + ")";
}

}  // namespace sweepd::e2e
