#include "runner/report/table/rest.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "runner/report/cell/cell.h"
#include "runner/report/cell/cell_format.h"

namespace sweepd::report {
namespace {

bool adds_up(const std::string& metric) {
  return metric == "kernel_time" || metric == "kernel_calls" || metric == "kernel_share";
}

// The sum in the format of the column's cells.
std::string text_of_sum(const CellTemplate& cell, double sum) {
  std::string text;
  for (const CellTemplate::Part& part : cell.parts) {
    const auto format = parse_number_format(part.format);
    text +=
        part.name.empty() ? part.literal : format_number(sum, format ? *format : NumberFormat{});
  }
  return text;
}

class RestRows {
 public:
  RestRows(std::span<const TableValue> table_values, const std::vector<ValueColumn>& columns,
           std::size_t behind, Table& table)
      : values_(table_values),
        columns_(columns),
        stride_(1 + behind),
        headers_(table.columns.size() - columns.size() * (1 + behind)),
        table_(table) {}

  void add_up(const TableSpec::Rest& rest) {
    const auto column = std::find_if(columns_.begin(), columns_.end(), [&](const auto& each) {
      return values_[each.table_value].value().name == rest.value;
    });
    if (column == columns_.end() || headers_ == 0) return;
    const std::size_t at = headers_ + stride_ * static_cast<std::size_t>(column - columns_.begin());
    std::vector<std::vector<Cell>> kept, small;
    const auto finish = [&] {
      if (small.size() == 1) kept.push_back(std::move(small.front()));
      if (small.size() > 1) kept.push_back(sum_of(small, rest.below));
      small.clear();
    };
    for (std::vector<Cell>& row : table_.rows) {
      if (!small.empty() && !has_headers_of(row, small.front())) finish();
      const bool is_small = row[at].number && *row[at].number < rest.below;
      (is_small ? small : kept).push_back(std::move(row));
    }
    finish();
    table_.rows = std::move(kept);
  }

 private:
  bool has_headers_of(const std::vector<Cell>& a, const std::vector<Cell>& b) const {
    for (std::size_t h = 0; h + 1 < headers_; ++h) {
      if (a[h].text != b[h].text) return false;
    }
    return true;
  }

  std::vector<Cell> sum_of(const std::vector<std::vector<Cell>>& rows, double below) const {
    std::vector<Cell> sum(table_.columns.size());
    for (std::size_t h = 0; h + 1 < headers_; ++h) sum[h] = rows.front()[h];
    sum[headers_ - 1].text = fmt::format("{} others, each below {:g} %", rows.size(), 100 * below);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const TableValue& table_value = values_[columns_[c].table_value];
      if (!adds_up(table_value.value().metric)) continue;
      const std::size_t at = headers_ + c * stride_;
      double all = 0;
      bool suspect = false;
      for (const std::vector<Cell>& row : rows) {
        all += row[at].number.value_or(0);
        suspect |= row[at].text.ends_with(mark_of(Verdict::kSuspect));
      }
      sum[at] = {text_of_sum(table_value.style().cell, all), all};
      if (suspect) sum[at].text += mark_of(Verdict::kSuspect);
    }
    return sum;
  }

  std::span<const TableValue> values_;
  const std::vector<ValueColumn>& columns_;
  const std::size_t stride_, headers_;
  Table& table_;
};

}  // namespace

void add_up_rest(const TableSpec& spec, std::span<const TableValue> table_values,
                 const std::vector<ValueColumn>& columns, std::size_t behind, Table& table) {
  if (spec.rest) RestRows(table_values, columns, behind, table).add_up(*spec.rest);
}

}  // namespace sweepd::report
