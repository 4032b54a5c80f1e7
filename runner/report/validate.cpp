#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"
#include "runner/report/convert.h"
#include "runner/report/report.h"

namespace sweepd {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class TableCheck {
 public:
  TableCheck(const TableSpec& table, const std::vector<std::string>& dimensions)
      : table_(table), dimensions_(dimensions) {}

  Result<void> run() {
    names("rows", table_.rows);
    names("columns", table_.columns);
    for (const std::string& name : table_.columns) {
      if (contains(table_.rows, name)) {
        mistakes_.push_back(fmt::format("`{}` stands among both rows and columns", name));
      }
    }
    for (const TableSpec::Filter& filter : table_.where) {
      known("where", filter.name);
      if (filter.values.empty()) {
        mistakes_.push_back(fmt::format("where: `{}` has no values", filter.name));
      }
    }
    if (const auto cell = parse_cell(table_.cell); !cell) mistakes_.push_back(cell.error().message);
    unit();
    if (mistakes_.empty()) return {};
    const std::string heading =
        table_.title.empty() ? "table" : fmt::format("table `{}`", table_.title);
    return Error{ErrorCode::kInvalidArgument, heading + ": " + join(mistakes_, "; ")};
  }

 private:
  void known(const std::string& where, const std::string& name) {
    if (contains(dimensions_, name)) return;
    mistakes_.push_back(
        fmt::format("{}: there is no column `{}`{}", where, name, did_you_mean(name, dimensions_)));
  }

  void names(const std::string& where, const std::vector<std::string>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      known(where, list[i]);
      if (std::find(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(i), list[i]) !=
          list.begin() + static_cast<std::ptrdiff_t>(i)) {
        mistakes_.push_back(fmt::format("{}: `{}` stands there twice", where, list[i]));
      }
    }
  }

  // A metric that this build does not know (a workload's own figure) is left to pivot().
  void unit() {
    const std::string metric = table_.metric.empty() ? "time" : table_.metric;
    const std::string_view own = unit_of_metric(metric);
    const auto listed = report::check_unit(table_.unit);
    if (!listed) {
      mistakes_.push_back(listed.error().message);
    } else if (!own.empty()) {
      const auto possible = report::conversion(own, table_.unit);
      if (!possible) mistakes_.push_back(fmt::format("{}: {}", metric, possible.error().message));
    }
  }

  const TableSpec& table_;
  const std::vector<std::string>& dimensions_;
  std::vector<std::string> mistakes_;
};

}  // namespace

Result<void> validate(const TableSpec& table, const std::vector<std::string>& dimensions) {
  return TableCheck(table, dimensions).run();
}

}  // namespace sweepd
