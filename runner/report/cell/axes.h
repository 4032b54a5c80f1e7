// A table's rows and columns: their dimensions, each result's cell, and the headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/attempt/result_set.h"
#include "runner/model/sweep/table.h"

namespace sweepd::report {

// One index per shown dimension; keys sort in display order. kEveryValue remains where a result
// without a figure has no values to be spread over.
using Key = std::vector<std::uint32_t>;

struct CellKeys {
  Key row, column;
};

class Axes {
 public:
  // Fails when the table names a dimension that the results do not have.
  static Result<Axes> resolve(const ResultSet& results, const TableSpec& table);

  // Aligns results of one table, whose dictionaries agree (share_dictionaries): a value that one
  // of them uses counts for all. With `only_varying` a dimension of one value is dropped unless it
  // is in `kept`.
  static void align(std::span<Axes* const> all, bool only_varying,
                    const std::vector<TableSpec::Filter>& kept);

  // For a baseline, which does not define rows and columns: adopts those of `table` and the
  // values it uses.
  void follow(const Axes& table);

  // Returns the places of a result. A figure has one place; a row without a figure has every place
  // that it covers.
  std::vector<CellKeys> places(const ResultRow& row) const;

  // Headers of the leading columns, and the cells of one row under them.
  std::vector<Column> row_headers() const;
  std::vector<Cell> row_cells(const Key& key) const;
  // Returns "bf16 forward" or "context 512, backward"; "" if the query has no columns. `value` is
  // the last part: "bf16 forward Min".
  std::string column_name(const Key& key, const std::string& value = "") const;
  // Returns "small", "context 512" or, of several dimensions, "model small, context 512".
  std::string row_name(const Key& key) const;
  std::size_t row_dimensions() const { return rows_.size(); }
  // Metrics side by side may differ in unit. Each then shows its own, in its column's header or
  // after its name in a row. "" if the results have one unit for all.
  std::string column_unit(const Key& key) const;

  // Returns the value itself, "" if there is none; `i` is a position in a row's key.
  const std::string& row_value(const Key& key, std::size_t i) const;
  // Whether one of the column's values is empty, as the device of an attempt that never ran.
  bool has_unknown(const Key& column) const;

  // Position of a row dimension in Key, or nothing.
  std::optional<std::size_t> row_position(std::string_view name) const;
  std::optional<std::size_t> column_position(std::string_view name) const;
  // Returns the number that a row or column dimension has at a point, or nothing for other names.
  std::optional<double> number_at(const Key& row, const Key& column, std::string_view name) const;
  bool is_constant(std::string_view name) const;  // dropped by only_varying
  // A dimension that the table does not show and in which some results differ, with the values that
  // they have, in display order. A result that the reader pooled has all values.
  struct Difference {
    std::string name;
    std::vector<std::string> values;
  };
  std::vector<Difference> hidden_differences(const std::vector<const ResultRow*>& rows) const;
  // Returns the result's value of a dimension; nothing if it has several or there is no such one.
  std::optional<std::string> value_at(const ResultRow& row, std::string_view name) const;

 private:
  Axes(const ResultSet& results, const TableSpec& table)
      : results_(&results), headings_(&table.headings) {}
  void note_used_values();
  void drop_constants(const std::vector<TableSpec::Filter>& kept);
  // Returns the dimension's name, or the heading that the table gives it.
  const std::string& heading(std::size_t dimension) const;
  std::optional<std::size_t> position(const std::vector<std::size_t>& axis,
                                      std::string_view name) const;
  std::string value_text(std::size_t dimension, std::uint32_t index) const;
  bool needs_name(std::size_t dimension) const;  // its values say little alone: 512, true
  std::string named_value(std::size_t dimension, std::uint32_t index) const;
  std::string metric_unit(std::size_t dimension, std::uint32_t index) const;

  const ResultSet* results_;
  const std::vector<TableSpec::Heading>* headings_;
  std::vector<std::size_t> rows_, columns_;  // indices of dimensions
  std::vector<std::size_t> dropped_;
  std::vector<std::vector<std::uint32_t>> used_;  // by dimension: ascending, without kEveryValue
};

}  // namespace sweepd::report
