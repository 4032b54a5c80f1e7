#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"
#include "runner/model/vocabulary/cell_name.h"
#include "runner/report/cell/cell.h"
#include "runner/report/cell/convert.h"
#include "runner/report/cell/divided_metric.h"
#include "runner/report/cell/report.h"
#include "runner/report/table/best.h"
#include "runner/report/table/row_order.h"

namespace sweepd {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class TableCheck {
 public:
  TableCheck(const TableSpec& table, const std::vector<std::string>& dimensions,
             const std::vector<MetricDef>& declared)
      : table_(table), dimensions_(dimensions), declared_(declared) {}

  std::vector<TableMistake> run() {
    names("rows", table_.rows);
    names("columns", table_.columns);
    for (const std::string& name : table_.columns) {
      if (contains(table_.rows, name)) {
        add("columns", fmt::format("`{}` is in both rows and columns", name));
      }
    }
    filters("where", table_.where);
    filters("baseline", table_.baseline);
    pool();
    const auto complete = complete_values(table_);
    if (table_.values.empty()) {
      figure(table_.cell, table_.metric, table_.unit);
      bold(complete.front());
    }
    for (std::size_t i = 0; i < table_.values.size(); ++i) {
      value_ = i;
      filters("where", table_.values[i].where);
      figure(complete[i].cell, complete[i].metric, complete[i].unit);
      if (applies(i, complete[i])) bold(complete[i]);
    }
    value_.reset();
    inherited_bold(complete);
    sort();
    return std::move(mistakes_);
  }

 private:
  void add(const std::string& key, std::string message) {
    mistakes_.push_back({key, value_, std::move(message)});
  }

  void known(const std::string& where, const std::string& name) {
    if (contains(dimensions_, name)) return;
    add(where,
        fmt::format("{}: there is no column `{}`{}", where, name, did_you_mean(name, dimensions_)));
  }

  void names(const std::string& where, const std::vector<std::string>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      known(where, list[i]);
      if (std::find(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(i), list[i]) !=
          list.begin() + static_cast<std::ptrdiff_t>(i)) {
        add(where, fmt::format("{}: `{}` is listed twice", where, list[i]));
      }
    }
  }

  void filters(const std::string& where, const std::vector<TableSpec::Filter>& list) {
    for (const TableSpec::Filter& filter : list) {
      known(where, filter.name);
      if (filter.values.empty()) {
        add(where, fmt::format("{}: `{}` has no values", where, filter.name));
      }
    }
  }

  void pool() {
    for (const std::string& name : table_.pool) {
      if (name == "all") continue;
      known("pool", name);
      if (contains(table_.rows, name) || contains(table_.columns, name)) {
        add("pool",
            fmt::format("pool: `{}` is a row or column of this table, so no cell pools over "
                        "it",
                        name));
      }
    }
  }

  void sort() {
    const std::vector<std::string> names = report::sort_names(table_);
    for (const std::string& key : table_.sort) {
      const std::string name = key.starts_with('-') ? key.substr(1) : key;
      if (!contains(names, name)) add("sort", report::unknown_sort_key(table_, name));
      const CellName* figure = find_cell_name(name);
      if (figure != nullptr && figure->kind == NameKind::kCompared && table_.baseline.empty() &&
          !contains(table_.rows, name) && !names_a_value(name)) {
        add("sort", fmt::format("sort: `{}` compares, but the table has no baseline", name));
      }
    }
  }

  bool names_a_value(const std::string& name) const {
    return std::any_of(table_.values.begin(), table_.values.end(),
                       [&](const TableSpec::Value& value) { return value.name == name; });
  }

  void figure(const std::string& cell, const std::string& metric, const std::string& unit) {
    const auto parsed = parse_cell(cell);
    if (!parsed) {
      add("cell", parsed.error().message);
    } else if (report::compares(*parsed) && table_.baseline.empty()) {
      add("cell", fmt::format("cell: `{}` compares, but the table has no baseline", cell));
    }
    const auto divided = parse_metric(metric);
    if (!divided) {
      add("metric", divided.error().message);
    } else if (const std::string& name = divided->parameter;
               !name.empty() && !contains(table_.rows, name) && !contains(table_.columns, name)) {
      add("metric", fmt::format("metric: `{}` divides by `{}`, which is neither a row nor a column "
                                "of the table",
                                metric, name));
    }
    const std::string alone = metric_alone(metric);
    if (const auto fits = unit_fits(alone.empty() ? "time" : alone, unit); !fits) {
      add("unit", fits.error().message);
    }
  }

  static bool compares(const TableSpec::Value& value) {
    const auto cell = parse_cell(value.cell);
    return !cell || report::compares(*cell);  // a wrong cell is a separate mistake
  }
  static bool only_words(const TableSpec::Value& value) {
    const auto cell = parse_cell(value.cell);
    return cell && !cell->parts.empty() && report::shows_words_only(*cell);
  }

  // Whether a value states its own rule: the table's need not fit all values.
  bool applies(std::size_t i, const TableSpec::Value& complete) const {
    if (table_.values[i].bold) return true;
    return scope_of(table_.bold) != BoldScope::kBaseline && !only_words(complete);
  }
  // The table's rule for comparisons must fit one of the values.
  void inherited_bold(const std::vector<TableSpec::Value>& complete) {
    if (table_.values.empty() || scope_of(table_.bold) != BoldScope::kBaseline) return;
    const TableSpec::Value* last = nullptr;
    for (std::size_t i = 0; i < complete.size(); ++i) {
      if (table_.values[i].bold) continue;
      last = &complete[i];
      if (compares(*last)) break;
    }
    if (last != nullptr) bold(*last);
  }

  void bold(const TableSpec::Value& value) {
    const BoldScope scope = scope_of(*value.bold);
    const std::string_view name = name_of(*value.bold);
    if (scope == BoldScope::kBaseline && table_.baseline.empty()) {
      add("bold", fmt::format("bold: `{}` marks comparisons, but the table has no baseline", name));
    } else if (scope == BoldScope::kBaseline && !compares(value)) {
      add("bold", fmt::format("bold: `{}` marks comparisons, but no cell compares; expected one "
                              "with a figure such as {{change:+.1%}} or {{speedup:.2f}}",
                              name));
    } else if (scope == BoldScope::kRow || scope == BoldScope::kColumn) {
      const auto best = report::what_is_best(*value.bold, table_, value, declared_);
      if (!best && parse_cell(value.cell)) add("bold", best.error().message);
    }
  }

  // A metric that this build does not know (a workload's own figure) is checked by pivot().
  Result<void> unit_fits(const std::string& metric, const std::string& unit) const {
    const std::string own = unit_of(declared_, metric);
    if (!own.empty() && own == unit) return {};
    if (auto listed = report::check_unit(unit); !listed) return listed.error();
    if (own.empty()) return {};
    const auto possible = report::conversion(own, unit);
    if (possible) return {};
    return Error{possible.error().code, fmt::format("{}: {}", metric, possible.error().message)};
  }

  const TableSpec& table_;
  const std::vector<std::string>& dimensions_;
  const std::vector<MetricDef>& declared_;
  std::optional<std::size_t> value_;  // the value being checked
  std::vector<TableMistake> mistakes_;
};

std::string in_words(const TableSpec& table, const TableMistake& mistake) {
  if (!mistake.value) return mistake.message;
  const std::string& name = table.values[*mistake.value].name;
  return (name.empty() ? fmt::format("value {}: ", *mistake.value + 1)
                       : fmt::format("value `{}`: ", name)) +
         mistake.message;
}

}  // namespace

std::vector<TableMistake> mistakes_in(const TableSpec& table,
                                      const std::vector<std::string>& dimensions,
                                      const std::vector<MetricDef>& declared) {
  return TableCheck(table, dimensions, declared).run();
}

Result<void> validate(const TableSpec& table, const std::vector<std::string>& dimensions,
                      const std::vector<MetricDef>& declared) {
  std::vector<std::string> texts;
  for (const TableMistake& mistake : mistakes_in(table, dimensions, declared)) {
    texts.push_back(in_words(table, mistake));
  }
  if (texts.empty()) return {};
  const std::string heading = table.title.empty() ? "" : fmt::format("table `{}`: ", table.title);
  return Error{ErrorCode::kInvalidArgument, heading + join(texts, "; ")};
}

}  // namespace sweepd
