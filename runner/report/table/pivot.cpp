#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/report/cell/report.h"
#include "runner/report/cell/table_value.h"
#include "runner/report/notes/notes.h"
#include "runner/report/notes/significance.h"
#include "runner/report/table/best.h"
#include "runner/report/table/merge_sets.h"
#include "runner/report/table/rest.h"
#include "runner/report/table/row_order.h"

namespace sweepd {
namespace {

using report::Key;
using report::TableValue;
using report::ValueColumn;

// Columns that give programs the information of marks and notes.
const std::vector<std::string> kWithWords{"n", "attempts", "verdict", "outcome", "attempt"};

Cell count_cell(std::int64_t count) {
  return {with_thousands(count), static_cast<double>(count)};
}

std::int64_t attempts_with_figure(const report::CellGroup& group) {
  std::set<std::string> ids;
  std::int64_t pooled = 0;
  for (const ResultRow* row : group.rows) {
    if (row->stats.n == 0) continue;
    if (row->attempts > 1) {
      pooled += row->attempts;
    } else {
      ids.insert(row->attempt);
    }
  }
  return pooled + static_cast<std::int64_t>(ids.size());
}

std::string outcomes(const report::CellGroup& group) {
  std::vector<std::string> words;
  for (const ResultRow* row : group.rows) {
    const std::string word(row->pending ? "pending" : name_of(row->outcome));
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  std::sort(words.begin(), words.end());
  return join(words, "/");
}

// The attempts behind a cell, as many as a user may want to see.
std::string attempts_in(const report::CellGroup& group) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> ids;
  for (const ResultRow* row : group.rows) {
    if (row->attempt.empty()) continue;
    if (std::find(ids.begin(), ids.end(), row->attempt) == ids.end()) ids.push_back(row->attempt);
    if (ids.size() > kMost) break;
  }
  if (ids.size() > kMost) ids.back() = "…";
  return join(ids, " ");
}

Result<void> check_with(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (std::find(kWithWords.begin(), kWithWords.end(), word) != kWithWords.end()) continue;
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("with: `{}` is not one of {}{}", word, join(kWithWords, ", "),
                             did_you_mean(word, kWithWords))};
  }
  return {};
}

// The header of the column behind the one headed `figure`: "fp32 n".
Column with_header(const Column& figure, const std::string& word) {
  const bool counts = word == "n" || word == "attempts";
  return {figure.name + " " + word, "", counts ? Align::kRight : Align::kLeft};
}

// `group` is null for a point that the sweep never had, whose cell is empty. The outcomes of
// several attempts are joined by "/", and the verdict is the worst of those with a figure.
Cell with_cell(const report::CellGroup* group, const std::string& word) {
  if (group == nullptr) return {};
  if (word == "n") return count_cell(group->pooled.stats.n);
  if (word == "attempts") return count_cell(attempts_with_figure(*group));
  if (word == "attempt") return {attempts_in(*group), {}};
  if (word == "outcome") return {outcomes(*group), {}};
  if (group->pooled.stats.n == 0) return {};
  return {std::string(name_of(group->pooled.verdict)), {}};
}

class Pivot {
 public:
  Pivot(const QuerySpec& query, std::vector<TableValue> table_values)
      : query_(query), values_(std::move(table_values)), pooling_(query.table.pool, query.drawn) {}

  Result<Table> make() {
    if (auto known = check_with(query_.with); !known) return known.error();
    align();
    for (TableValue& table_value : values_) table_value.group(query_.table.baseline);
    for (const TableValue& table_value : values_) table_value.add_cells(pooling_);
    if (!query_.declared) {
      if (pooling_.any()) return Error{ErrorCode::kInvalidArgument, pooling_.refusal()};
      if (auto fits = check_texts(); !fits) return fits.error();
    }
    significance_ = report::find_significance(values_, query_.table.sort);
    collect();
    if (auto sorted = report::sort_rows(query_, values_, columns_, order_); !sorted) {
      return sorted.error();
    }
    const auto all = order_.size();
    if (query_.table.limit > 0 && all > static_cast<std::size_t>(query_.table.limit)) {
      order_.resize(static_cast<std::size_t>(query_.table.limit));
    }
    Table table;
    table.title = query_.table.title;
    table.columns = axes().row_headers();
    for (const ValueColumn& column : columns_) {
      const Column header = values_[column.table_value].header(column.key);
      table.columns.push_back(header);
      for (const std::string& word : query_.with) {
        table.columns.push_back(with_header(header, word));
      }
    }
    if (auto filled = fill(table); !filled) return filled.error();
    const auto marked = report::mark_best(query_.table, values_, order_, columns_, table);
    if (!marked) return marked.error();
    report::add_up_rest(query_.table, values_, columns_, query_.with.size(), table);
    report::add_notes({query_, values_, columns_, order_, all, cells_, significance_, pooling_},
                      table);
    return table;
  }

 private:
  const report::Axes& axes() const { return values_.front().axes(); }

  void align() {
    std::vector<report::Axes*> all;
    for (TableValue& table_value : values_) all.push_back(&table_value.axes());
    // A baseline adds no rows or columns, but a dimension that its filters name stays, so that it
    // is spread over the table's values.
    report::Axes::align(all, query_.only_varying, query_.table.baseline);
    for (TableValue& table_value : values_) {
      if (table_value.baseline() != nullptr) table_value.baseline()->axes().follow(axes());
    }
  }

  // A cell asks for a mean, and every result has a text. In a declared table it shows the text.
  Result<void> check_texts() const {
    for (const TableValue& table_value : values_) {
      const std::vector<ResultRow>& rows = table_value.results().rows;
      const auto text = std::find_if(rows.begin(), rows.end(),
                                     [](const ResultRow& row) { return !row.text.empty(); });
      const bool numbers = std::any_of(rows.begin(), rows.end(),
                                       [](const ResultRow& row) { return row.stats.n > 0; });
      if (text == rows.end() || numbers || table_value.first_figure().empty()) continue;
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("cell: `{}` of {} is not a number: its values are texts, such as "
                               "`{}`; write {{text}}",
                               table_value.value().cell, table_value.value().metric, text->text)};
    }
    return {};
  }

  // Collects the rows of all values, and the columns with the values side by side in each.
  void collect() {
    std::set<Key> rows, keys;
    for (const TableValue& table_value : values_) {
      for (const auto& [row, line] : table_value.lines()) rows.insert(row);
      keys.insert(table_value.columns().begin(), table_value.columns().end());
    }
    order_.assign(rows.begin(), rows.end());
    std::vector<Key> shown(keys.begin(), keys.end());
    std::erase_if(shown, [&](const Key& key) { return keys.size() > 1 && is_nowhere(key); });
    for (const Key& key : shown) {
      for (std::size_t i = 0; i < values_.size(); ++i) {
        const std::set<Key>& own = values_[i].columns();
        // A value without any results keeps its column, so that the table has the shape of its
        // file. A column that would only compare the baseline with itself is omitted.
        if (!own.empty() && (!own.contains(key) || values_[i].is_idle(key))) continue;
        columns_.push_back({key, i});
      }
    }
  }

  // Whether a column has no device (host ...) because all its attempts were skipped and nothing
  // ran. Such a column is omitted, but the reasons of its attempts are shown.
  bool is_nowhere(const Key& column) {
    if (!axes().has_unknown(column)) return false;
    std::vector<const ResultRow*> skipped;
    for (const TableValue& table_value : values_) {
      for (const auto& [row, line] : table_value.lines()) {
        const report::CellGroup* group = table_value.find(row, column);
        if (group != nullptr) skipped.insert(skipped.end(), group->rows.begin(), group->rows.end());
      }
    }
    const bool all = std::all_of(skipped.begin(), skipped.end(), [](const ResultRow* row) {
      return !row->pending && row->outcome == Outcome::kSkipped;
    });
    if (all) {
      cells_.push_back(
          {.name = "", .row_name = "", .rows = skipped, .axes = &axes(), .shown = false});
    }
    return all;
  }

  Result<void> fill(Table& table) {
    for (const Key& row : order_) {
      std::vector<Cell> cells = axes().row_cells(row);
      for (const ValueColumn& column : columns_) {
        const TableValue& table_value = values_[column.table_value];
        auto cell = table_value.cell(row, column.key);
        if (!cell) return cell.error();
        cells.push_back(std::move(*cell));
        for (const std::string& word : query_.with) {
          cells.push_back(with_cell(table_value.find(row, column.key), word));
        }
        note_cell(row, column);
      }
      table.rows.push_back(std::move(cells));
    }
    return {};
  }

  // Values that show the same results share their footnotes.
  void note_cell(const Key& row, const ValueColumn& column) {
    const TableValue& table_value = values_[column.table_value];
    const auto earlier = std::span(values_).first(column.table_value);
    const auto same = [&](const TableValue& other) {
      return &other.results() == &table_value.results();
    };
    const bool noted = std::ranges::any_of(earlier, same);
    const bool mean_noted = std::ranges::any_of(
        earlier, [&](const TableValue& other) { return same(other) && other.shows_mean(); });
    const report::CellGroup* group = table_value.find(row, column.key);
    const bool notes_mean = !mean_noted && table_value.shows_mean();
    if (group != nullptr && (!noted || notes_mean)) {
      cells_.push_back({.name = cell_name(row, column),
                        .row_name = axes().row_name(row),
                        .rows = group->rows,
                        .axes = &table_value.axes(),
                        .notes_results = !noted,
                        .mean_of = notes_mean ? &table_value.results() : nullptr});
    }
    auto failed = table_value.failed_baseline(row, column.key);
    if (!failed.empty()) {  // rows of other results, whose dimensions differ
      cells_.push_back({.name = "baseline of " + cell_name(row, column),
                        .row_name = "",
                        .rows = std::move(failed),
                        .axes = &table_value.baseline()->axes(),
                        .shown = false});
    }
  }

  std::string cell_name(const Key& row, const ValueColumn& column) const {
    const std::string in_row = axes().row_name(row);
    const std::string name =
        axes().column_name(column.key, values_[column.table_value].value().name);
    if (in_row.empty() || name.empty()) return in_row + name;
    return in_row + (axes().row_dimensions() > 1 ? ", column " : ", ") + name;
  }

  const QuerySpec& query_;
  std::vector<TableValue> values_;
  std::vector<Key> order_;  // of the shown rows
  std::vector<ValueColumn> columns_;
  std::vector<report::NotedCell> cells_;
  report::UnsaidPooling pooling_;
  report::Significance significance_;
};

Result<Table> make(const QuerySpec& query, const TableReads& plan,
                   const std::vector<const ResultSet*>& results) {
  const auto values = complete_values(query.table);
  std::vector<TableValue> table_values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const TableReads::Use& use = plan.uses[i];
    const ResultSet* baseline = use.baseline ? results[*use.baseline] : nullptr;
    auto table_value = TableValue::resolve(query.table, values[i], *results[use.results], baseline);
    if (!table_value) return table_value.error();
    table_values.push_back(std::move(*table_value));
  }
  return Pivot(query, std::move(table_values)).make();
}

}  // namespace

Result<Table> pivot(std::vector<ResultSet> results, const QuerySpec& query) {
  const TableReads plan = plan_reads(query);
  if (results.size() != plan.reads.size()) {
    return Error{ErrorCode::kInternal, fmt::format("{} results for a table that needs {}",
                                                   results.size(), plan.reads.size())};
  }
  std::vector<std::string> names = query.table.rows;
  names.insert(names.end(), query.table.columns.begin(), query.table.columns.end());
  // Results that were read separately must agree on keys before they are shown side by side.
  report::share_dictionaries(results, names);
  std::vector<const ResultSet*> pointers;
  for (const ResultSet& set : results) pointers.push_back(&set);
  return make(query, plan, pointers);
}

Result<Table> pivot(const ResultSet& results, const QuerySpec& query) {
  const TableReads plan = plan_reads(query);
  return make(query, plan, std::vector<const ResultSet*>(plan.reads.size(), &results));
}

}  // namespace sweepd
