#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"
#include "runner/report/cell.h"
#include "runner/report/cell_format.h"
#include "runner/report/convert.h"
#include "runner/report/divided_metric.h"
#include "runner/report/report.h"
#include "runner/report/sort_key.h"

namespace sweepd {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class TableCheck {
 public:
  TableCheck(const TableSpec& table, const std::vector<std::string>& dimensions)
      : table_(table), dimensions_(dimensions) {}

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
    if (table_.values.empty()) figure(table_.cell, table_.metric, table_.unit);
    const auto complete = complete_values(table_);
    for (std::size_t i = 0; i < table_.values.size(); ++i) {
      value_ = i;
      filters("where", table_.values[i].where);
      figure(complete[i].cell, complete[i].metric, complete[i].unit);
    }
    value_.reset();
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
      const report::CellName* figure = report::find_cell_name(name);
      if (figure != nullptr && figure->kind == report::NameKind::kCompared &&
          table_.baseline.empty() && !contains(table_.rows, name) && !names_a_value(name)) {
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

  // A metric that this build does not know (a workload's own figure) is checked by pivot().
  static Result<void> unit_fits(const std::string& metric, const std::string& unit) {
    if (auto listed = report::check_unit(unit); !listed) return listed.error();
    const std::string_view own = unit_of_metric(metric);
    if (own.empty()) return {};
    const auto possible = report::conversion(own, unit);
    if (possible) return {};
    return Error{possible.error().code, fmt::format("{}: {}", metric, possible.error().message)};
  }

  const TableSpec& table_;
  const std::vector<std::string>& dimensions_;
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
                                      const std::vector<std::string>& dimensions) {
  return TableCheck(table, dimensions).run();
}

Result<void> validate(const TableSpec& table, const std::vector<std::string>& dimensions) {
  std::vector<std::string> texts;
  for (const TableMistake& mistake : mistakes_in(table, dimensions)) {
    texts.push_back(in_words(table, mistake));
  }
  if (texts.empty()) return {};
  const std::string heading = table.title.empty() ? "" : fmt::format("table `{}`: ", table.title);
  return Error{ErrorCode::kInvalidArgument, heading + join(texts, "; ")};
}

}  // namespace sweepd
