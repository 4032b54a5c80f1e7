#include "runner/report/notes/significance.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "runner/base/text.h"
#include "runner/report/cell/cell_format.h"
#include "runner/report/cell/processes.h"
#include "runner/report/notes/notes.h"
#include "runner/stats/false_discovery.h"

namespace sweepd::report {
namespace {

using RowsOf = std::vector<const ResultRow*>;

RowsOf figures_of(const CellGroup& group) {
  RowsOf rows;
  std::copy_if(group.rows.begin(), group.rows.end(), std::back_inserter(rows),
               [](const ResultRow* row) { return row->stats.n > 0; });
  return rows;
}

bool share_an_attempt(const RowsOf& a, const RowsOf& b) {
  std::set<std::string_view> ids;
  for (const ResultRow* row : a) ids.insert(row->attempt);
  ids.erase("");
  return std::any_of(b.begin(), b.end(),
                     [&](const ResultRow* row) { return ids.contains(row->attempt); });
}

// `faster` means better: of a rate, the larger one.
stats::Change in_terms_of(Better better, stats::Change change) {
  return better == Better::kLarger ? stats::opposite(change) : change;
}

class Comparer {
 public:
  void add(TableValue& table_value) {
    for (const auto& [row, line] : table_value.lines()) {
      for (const auto& [column, group] : line) add(table_value, row, column, group);
    }
  }

  Significance finish() {
    stats::control_false_discoveries(found_.comparisons);
    for (const Cell& cell : cells_) {
      const stats::Comparison& made = found_.comparisons[cell.comparison];
      cell.table_value->set_judged(
          cell.row, cell.column,
          {made.adjusted_p, in_terms_of(cell.table_value->results().better, made.change),
           made.method != stats::Method::kNone});
    }
    return std::move(found_);
  }

 private:
  struct Cell {
    TableValue* table_value;
    Key row, column;
    std::size_t comparison;
  };

  void add(TableValue& table_value, const Key& row, const Key& column, const CellGroup& group) {
    const auto baseline = table_value.baseline()->find(row, column, &group);
    if (baseline.group == nullptr || baseline.itself) return;
    const Pooled &own = group.pooled, &other = baseline.group->pooled;
    if (own.stats.n == 0 || other.stats.n == 0) return;
    if (std::max(own.verdict, other.verdict) == Verdict::kInvalid) return;
    if (!own.error.one_trial || !other.error.one_trial) {
      ++found_.mixed;
      table_value.set_judged(row, column, {{}, stats::Change::kUnclear, false});
      return;
    }
    const RowsOf here = figures_of(group), there = figures_of(*baseline.group);
    if (share_an_attempt(here, there)) {
      ++found_.shared;
      table_value.set_judged(row, column, {{}, stats::Change::kUnclear, false});
      return;
    }
    const auto [entry, added] = index_.try_emplace({here, there}, found_.comparisons.size());
    if (added) {
      found_.comparisons.push_back(stats::compare(measured_of(there), measured_of(here)));
    }
    cells_.push_back({&table_value, row, column, entry->second});
  }

  Significance found_;
  std::vector<Cell> cells_;
  std::map<std::pair<RowsOf, RowsOf>, std::size_t> index_;  // by the rows of both sides
};

}  // namespace

Significance find_significance(std::span<TableValue> table_values,
                               const std::vector<std::string>& sort) {
  const bool sorted = std::any_of(sort.begin(), sort.end(),
                                  [](const auto& key) { return key == "p" || key == "-p"; });
  Comparer comparer;
  bool p_values = false, bold = false;
  for (TableValue& table_value : table_values) {
    if (table_value.baseline() == nullptr) continue;
    const bool shows_p = sorted || shows(table_value.style().cell, "p");
    if (shows_p || judges(table_value.style())) comparer.add(table_value);
    p_values |= shows_p;
    bold |= judges(table_value.style());
  }
  Significance found = comparer.finish();
  found.p_values = p_values;
  found.bold = bold;
  return found;
}

namespace {

// How many cells are judged together, and the method.
void note_correction(const Significance& found, NoteLines& lines) {
  if (found.comparisons.empty()) return;
  const std::size_t tested = static_cast<std::size_t>(
      std::count_if(found.comparisons.begin(), found.comparisons.end(),
                    [](const auto& each) { return each.adjusted_p.has_value(); }));
  const std::string corrected =
      fmt::format("corrected for {} (Benjamini and Hochberg)", counted(tested, "cell"));
  if (found.p_values) {
    lines.push_back(fmt::format(
        "p: of a difference from the baseline, between the attempts' medians as in `sweepctl "
        "compare`, {}",
        corrected));
  }
  if (found.bold) {
    lines.push_back(
        fmt::format("bold: `sweepctl compare` finds it faster or slower than the baseline, by the "
                    "attempts' medians{}",
                    found.p_values || tested == 0 ? "" : ", " + corrected));
  }
}

// How many cells have a difference that cannot be judged, and why.
std::vector<std::pair<std::size_t, std::string_view>> without_spread(const Significance& found) {
  const auto few = static_cast<std::size_t>(
      std::count_if(found.comparisons.begin(), found.comparisons.end(),
                    [](const auto& each) { return each.method == stats::Method::kNone; }));
  std::vector<std::pair<std::size_t, std::string_view>> all{
      {few, "too few steps for an interval"},
      {found.mixed, "the attempts of a side are of different trials, so they are no repeats"},
      {found.shared, "both sides count the same attempt"}};
  std::erase_if(all, [](const auto& each) { return each.first == 0; });
  return all;
}

}  // namespace

NoteLines notes::significance(const TableOfNotes& table) {
  const Significance& found = table.significance;
  NoteLines lines;
  const auto of = [&](stats::Method method) {
    return static_cast<std::size_t>(
        std::count_if(found.comparisons.begin(), found.comparisons.end(),
                      [&](const auto& each) { return each.p && each.method == method; }));
  };
  note_correction(found, lines);
  const auto rest = [](std::size_t n) {
    return fmt::format("{} {}", counted(n, "comparison"), n == 1 ? "rests" : "rest");
  };
  if (const std::size_t n = of(stats::Method::kOtherSide); n > 0) {
    lines.push_back(rest(n) +
                    " on one process on one side: the spread of the other side's processes stands "
                    "for its own");
  }
  if (const std::size_t n = of(stats::Method::kBlocks); n > 0) {
    lines.push_back(rest(n) +
                    " on one process a side: the difference may be one between these two "
                    "processes; `repeats: 5` settles it");
  }
  if (!found.p_values) return lines;
  for (const auto& [n, why] : without_spread(found)) {
    lines.push_back(fmt::format("no p in {}: {}", counted(n, "cell"), why));
  }
  const auto exact = static_cast<std::size_t>(std::count_if(
      found.comparisons.begin(), found.comparisons.end(),
      [](const auto& each) { return !each.p && each.method != stats::Method::kNone; }));
  if (exact > 0) {
    lines.push_back(
        fmt::format("no p in {}: nothing varies, so chance has no part in the difference",
                    counted(exact, "cell")));
  }
  return lines;
}

NoteLines notes::unjudged(const TableOfNotes& of) {
  const Significance& found = of.significance;
  if (!found.bold) return {};
  std::vector<std::string> parts;
  for (const auto& [n, why] : without_spread(found)) {
    parts.push_back(fmt::format("in {}, {}", counted(n, "cell"), why));
  }
  if (parts.empty()) return {};
  return {fmt::format("{} not judged: {}", kUnjudgedMark, join(parts, "; "))};
}

}  // namespace sweepd::report
