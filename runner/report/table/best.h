// Cells that are bold because they are the best of their row or column.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/sweep/sweep.h"
#include "runner/report/cell/report.h"
#include "runner/report/cell/table_value.h"

namespace sweepd::report {

enum class Best { kSmallest, kLargest };

// The direction in which a cell's figures are better, by its first one: short times, little memory,
// small losses and high rates. Nothing if it is not known, as for the figures of a workload, or if
// the cell has words only. An empty cell shows means. `declared` are the workload's own metrics.
std::optional<Best> better_figures(const CellTemplate& cell, const std::string& metric,
                                   const std::vector<MetricDef>& declared);

// Returns the direction that `bold` marks. If that is unknown, or if the table has no columns or
// rows to choose from, the error says what to write instead. `bold` is one of the rules for rows
// and columns.
Result<Best> what_is_best(Bold bold, const TableSpec& table, const TableSpec::Value& value,
                          const std::vector<MetricDef>& declared);

// Makes the best cells of `made` bold, each value's by itself, by the first figure of its cells.
// Equal ones are all bold. An invalid figure is never the best, nor is one without a comparable
// other. `rows` and `columns` are those of `made`.
Result<void> mark_best(const TableSpec& table, const std::vector<TableValue>& table_values,
                       const std::vector<Key>& rows, const std::vector<ValueColumn>& columns,
                       Table& made);

}  // namespace sweepd::report
