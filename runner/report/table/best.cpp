#include "runner/report/table/best.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "runner/base/text.h"
#include "runner/model/vocabulary/cell_name.h"
#include "runner/model/vocabulary/metric.h"
#include "runner/report/cell/cell.h"
#include "runner/report/cell/divided_metric.h"
#include "runner/report/notes/notes.h"

namespace sweepd::report {
namespace {

std::optional<Best> better_metric(const std::string& metric,
                                  const std::vector<MetricDef>& declared) {
  const std::string alone = metric_alone(metric);
  switch (better_of(declared, alone.empty() ? "time" : alone)) {
    case Better::kSmaller:
      return Best::kSmallest;
    case Better::kLarger:
      return Best::kLargest;
    case Better::kUnknown:
      return std::nullopt;
  }
  return std::nullopt;
}

Best opposite(Best best) {
  return best == Best::kSmallest ? Best::kLargest : Best::kSmallest;
}

// Whether it is larger where the metric is: not a spread, a count, an error or a p value.
bool follows_metric(const CellName& figure) {
  if (figure.kind == NameKind::kCompared) return figure.name != "p";
  return figure.kind != NameKind::kError && figure.name != "n" && figure.name != "std" &&
         figure.name != "mad";
}

std::string_view explicit_words(Bold bold) {
  return scope_of(bold) == BoldScope::kRow ? "smallest_in_row or largest_in_row"
                                           : "smallest_in_column or largest_in_column";
}

}  // namespace

std::optional<Best> better_figures(const CellTemplate& cell, const std::string& metric,
                                   const std::vector<MetricDef>& declared) {
  const auto part =
      std::find_if(cell.parts.begin(), cell.parts.end(), [](const CellTemplate::Part& each) {
        const CellName* known = find_cell_name(each.name);
        return known != nullptr && known->kind != NameKind::kWord;
      });
  if (part == cell.parts.end()) {
    return cell.parts.empty() ? better_metric(metric, declared) : std::optional<Best>();
  }
  const CellName& figure = *find_cell_name(part->name);
  if (figure.kind == NameKind::kDerived) return Best::kLargest;
  const auto best = better_metric(metric, declared);
  if (!best || !follows_metric(figure)) return std::nullopt;
  return figure.compared_figure() == "speedup" ? opposite(*best) : *best;
}

Result<Best> what_is_best(Bold bold, const TableSpec& table, const TableSpec::Value& value,
                          const std::vector<MetricDef>& declared) {
  const bool row = scope_of(bold) == BoldScope::kRow;
  if (row ? table.columns.empty() : table.rows.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("bold: `{}` chooses among the {} of a table, and it has none; write "
                             "{} or name {}",
                             name_of(bold), row ? "columns" : "rows",
                             row ? "best_in_column" : "best_in_row", row ? "columns" : "rows")};
  }
  const auto cell = parse_cell(value.cell);
  if (!cell) return cell.error();
  if (!cell->parts.empty() && shows_words_only(*cell)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("bold: `{}` chooses among figures, and the cell `{}` has words only",
                             name_of(bold), value.cell)};
  }
  if (bold == Bold::kSmallestInRow || bold == Bold::kSmallestInColumn) return Best::kSmallest;
  if (bold == Bold::kLargestInRow || bold == Bold::kLargestInColumn) return Best::kLargest;
  if (const auto best = better_figures(*cell, value.metric, declared)) return *best;
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("bold: the better direction of `{}` of `{}` is unknown; write "
                           "{}",
                           value.cell.empty() ? "mean" : value.cell,
                           value.metric.empty() ? "time" : value.metric, explicit_words(bold))};
}

namespace {

// The smallest or largest number, and whether there are at least two of them to choose from.
class Choice {
 public:
  explicit Choice(Best best) : best_(best) {}
  void add(double figure) {
    const bool better = best_ == Best::kSmallest ? figure < chosen_ : figure > chosen_;
    if (count_++ == 0 || better) chosen_ = figure;
  }
  bool is_best(double figure) const { return count_ > 1 && figure == chosen_; }

 private:
  Best best_;
  double chosen_ = 0;
  int count_ = 0;
};

bool chooses(const TableValue& table_value) {
  const BoldScope scope = scope_of(table_value.style().bold);
  const bool in_line = scope == BoldScope::kRow || scope == BoldScope::kColumn;
  return in_line && !table_value.first_figure().empty();
}

struct Candidate {
  std::size_t row = 0, column = 0;  // of the made table
  std::size_t line = 0;             // the row or column that it competes in
  double figure = 0;
};

Result<std::vector<Candidate>> candidates(const std::vector<TableValue>& table_values,
                                          std::size_t of, const std::vector<Key>& rows,
                                          const std::vector<ValueColumn>& columns,
                                          std::size_t first_column) {
  const TableValue& table_value = table_values[of];
  const bool in_row = scope_of(table_value.style().bold) == BoldScope::kRow;
  std::vector<Candidate> all;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].table_value != of) continue;
      const CellGroup* group = table_value.find(rows[r], columns[c].key);
      if (group == nullptr || group->pooled.verdict == Verdict::kInvalid) continue;
      const auto figure = table_value.figure(rows[r], columns[c].key, table_value.first_figure());
      if (!figure) return figure.error();
      if (!*figure || !std::isfinite(**figure)) continue;
      all.push_back({r, first_column + c, in_row ? r : c, **figure});
    }
  }
  return all;
}

}  // namespace

Result<void> mark_best(const TableSpec& table, const std::vector<TableValue>& table_values,
                       const std::vector<Key>& rows, const std::vector<ValueColumn>& columns,
                       Table& made) {
  for (std::size_t i = 0; i < table_values.size(); ++i) {
    if (!chooses(table_values[i])) continue;
    const auto best = what_is_best(table_values[i].style().bold, table, table_values[i].value(),
                                   table_values[i].results().declared);
    if (!best) return best.error();
    const auto all =
        candidates(table_values, i, rows, columns, made.columns.size() - columns.size());
    if (!all) return all.error();
    std::map<std::size_t, Choice> choices;
    for (const Candidate& each : *all) {
      choices.try_emplace(each.line, *best).first->second.add(each.figure);
    }
    for (const Candidate& each : *all) {
      made.rows[each.row][each.column].bold = choices.at(each.line).is_best(each.figure);
    }
  }
  return {};
}

NoteLines notes::best(const TableOfNotes& of) {
  std::vector<std::pair<std::string, std::vector<std::string>>> names_by_rule;
  for (const TableValue& table_value : of.values) {
    if (!chooses(table_value)) continue;
    const auto best = what_is_best(table_value.style().bold, of.query.table, table_value.value(),
                                   table_value.results().declared);
    if (!best) continue;
    const CellName& figure = *find_cell_name(table_value.first_figure());
    const std::string rule =
        fmt::format("the {} {} in each {}", *best == Best::kSmallest ? "smallest" : "largest",
                    figure.label.empty() ? figure.name : figure.label,
                    scope_of(table_value.style().bold) == BoldScope::kRow ? "row" : "column");
    auto same = std::find_if(names_by_rule.begin(), names_by_rule.end(),
                             [&](const auto& each) { return each.first == rule; });
    if (same == names_by_rule.end()) same = names_by_rule.insert(same, {rule, {}});
    same->second.push_back(table_value.value().name.empty() ? table_value.metric()
                                                            : table_value.value().name);
  }
  NoteLines lines;
  for (const auto& [rule, names] : names_by_rule) {
    const std::string in = of.values.size() == 1 ? "" : " in " + join(names, ", ");
    lines.push_back(fmt::format("bold{}: {}", in, rule));
  }
  return lines;
}

}  // namespace sweepd::report
