// Groups a profile pass's rows by the table's dimensions.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "db/query/results/figures.h"
#include "runner/base/text.h"
#include "runner/model/vocabulary/result_column.h"

namespace sweepd {

std::string launch_shape(const std::string& name) {
  return fmt::format("iif({0}_x = 0, '', {0}_x || 'x' || {0}_y || 'x' || {0}_z)", name);
}

std::string FigureReader::key_columns() const {
  std::string columns;
  for (const std::size_t i : plan_.keys) {
    const ResultColumn column = std::get<ResultColumn>(plan_.dimensions[i].column);
    columns += ", ";
    if (column == ResultColumn::kKernel) {
      columns += "short_name";
    } else if (column == ResultColumn::kOperator) {
      columns += "operator";
    } else if (column == ResultColumn::kGrid || column == ResultColumn::kBlock) {
      columns += launch_shape(column == ResultColumn::kGrid ? "grid" : "block");
    } else {
      columns += column == ResultColumn::kClass ? "class" : "range";
    }
  }
  return columns;
}

std::string FigureReader::place_columns() const {
  return fmt::format("{}, {}", plan_.by_phase ? "phase" : "0", plan_.by_rank ? "rank" : "0");
}

std::string FigureReader::group_numbers() const {
  std::string numbers = "1, 2";
  for (std::size_t k = 0; k < plan_.keys.size(); ++k) numbers += fmt::format(", {}", k + 3);
  return numbers;
}

// Reads the first columns of a group's row: phase, rank and the keys.
FigureRow FigureReader::group_row(const Query& query) const {
  FigureRow row;
  row.phase = query.integer(0);
  row.rank = query.integer(1);
  for (int column = 2; column < 2 + static_cast<int>(plan_.keys.size()); ++column) {
    row.keys.push_back(query.is_integer(column) ? Value(query.integer(column))
                                                : Value(query.text(column)));
  }
  return row;
}

FigureReader::Medians FigureReader::kernel_medians(std::int64_t attempt) const {
  Medians medians;
  const auto& metrics = plan_.metrics;
  if (std::find(metrics.begin(), metrics.end(), "kernel_median") == metrics.end()) return medians;
  Query query(state_.connection,
              fmt::format("SELECT {}{}, median_ns FROM kernel WHERE attempt = ?{}{}",
                          place_columns(), key_columns(), name_filter_, place_filter_));
  query.bind(attempt);
  const int behind = 2 + static_cast<int>(plan_.keys.size());
  while (query.next()) {
    const FigureRow row = group_row(query);
    medians[{row.phase, row.rank, row.keys}].add(query.real(behind));
  }
  return medians;
}

std::vector<FigureRow> FigureReader::from_kernels(std::int64_t attempt) {
  if (!stored_) {
    stored_.emplace(state_.connection,
                    fmt::format("SELECT {}{}, {} FROM kernel WHERE attempt = ?{}{} GROUP BY {}",
                                place_columns(), key_columns(), metric_columns(), name_filter_,
                                place_filter_, group_numbers()));
  }
  std::map<std::pair<std::int64_t, std::int64_t>, double> whole;  // the whole for shares
  const auto share = std::find(plan_.metrics.begin(), plan_.metrics.end(), "kernel_share");
  if (share != plan_.metrics.end()) {
    Query totals(state_.connection,
                 fmt::format("SELECT {}, sum(total_ns) FROM kernel WHERE attempt = ?{}{} "
                             "GROUP BY 1, 2",
                             place_columns(), phase_filter_, place_filter_));
    totals.bind(attempt);
    while (totals.next()) whole[{totals.integer(0), totals.integer(1)}] = totals.real(2);
  }
  Query& query = *stored_;
  query.rewind();
  query.bind(attempt);
  const Whole share_of = [&](const std::string& metric, const FigureRow& row) {
    return metric == "kernel_share" ? whole[{row.phase, row.rank}] : 0;
  };
  return grouped(query, share_of, kernel_medians(attempt));
}

std::vector<FigureRow> FigureReader::grouped(Query& query, const Whole& whole,
                                             const Medians& medians) {
  std::vector<FigureRow> rows;
  while (query.next()) {
    FigureRow row = group_row(query);
    int column = 2 + static_cast<int>(plan_.keys.size());
    for (std::size_t m = 0; m < plan_.metrics.size(); ++m, ++column) {
      if (query.is_null(column)) continue;
      double value = query.real(column);
      if (const double all = whole(plan_.metrics[m], row); all > 0) value /= all;
      if (plan_.metrics[m] == "kernel_median") {
        const auto median_ns = medians.at({row.phase, row.rank, row.keys}).value();
        if (!median_ns) continue;
        value = *median_ns / 1e6;
      }
      row.metric = static_cast<std::int64_t>(m);
      row.stats = summarize(std::span(&value, 1));
      if (with_samples_) row.samples = {value};
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace sweepd
