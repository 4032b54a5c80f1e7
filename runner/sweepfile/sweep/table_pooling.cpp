#include "runner/sweepfile/sweep/table_pooling.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "runner/base/text.h"
#include "runner/sweepfile/yaml/product.h"

namespace sweepd::sweepfile {
namespace {

constexpr std::size_t kMostValuesShown = 4;  // values of one parameter in a message

using Filters = std::vector<TableSpec::Filter>;
// Values by the index of their parameter.
using Point = std::map<std::size_t, Value>;

// Parameters in which trials of one cell differ, with their values.
using Pooled = std::map<std::size_t, std::set<Value>>;

// What one table, or one of its values, says about the parameters.
class Cells {
 public:
  Cells(const WorkloadDef& def, const TableSpec& table, const Filters& where) : def_(def) {
    for (const auto* names : {&table.rows, &table.columns}) add(*names, named_);
    add(table.pool, pooled_);
    // The name of a device says of which kind it is.
    const auto names_device = [](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), "device_name") != names.end();
    };
    if (names_device(table.rows) || names_device(table.columns)) add({"device"}, named_);
    for (const TableSpec::Filter& filter : where) {
      const auto param = def.index_of(filter.name);
      if (!param) continue;
      std::set<Value>& values = filters_[*param];
      for (const std::string& text : filter.values) {
        if (auto value = def.params[*param].parse(text)) values.insert(std::move(*value));
      }
    }
  }

  // Whether trials that differ in this parameter alone would be in one cell.
  bool ignores(std::size_t param) const {
    return !named_.contains(param) && !pooled_.contains(param) &&
           def_.params[param].role != ParamRole::kScheduling;
  }

  bool accepts(std::size_t param, const Value& value) const {
    const auto filter = filters_.find(param);
    return filter == filters_.end() || filter->second.contains(value);
  }

  // Adds what the points of one cell differ in. Points list the same parameters.
  Pooled pooled_in(const std::vector<Point>& points) const {
    std::map<Point, std::vector<const Point*>> cells;
    for (const Point& point : points) {
      const bool shown = std::all_of(point.begin(), point.end(), [&](const auto& each) {
        return accepts(each.first, each.second);
      });
      if (!shown) continue;
      Point cell;
      for (const auto& [param, value] : point) {
        if (named_.contains(param)) cell.emplace(param, value);
      }
      cells[std::move(cell)].push_back(&point);
    }
    Pooled pooled;
    for (const auto& [cell, members] : cells) add_differences(members, pooled);
    return pooled;
  }

 private:
  void add(const std::vector<std::string>& names, std::set<std::size_t>& params) {
    for (const std::string& name : names) {
      if (const auto param = def_.index_of(name)) params.insert(*param);
    }
  }

  void add_differences(const std::vector<const Point*>& members, Pooled& pooled) const {
    for (const auto& [param, first] : *members.front()) {
      if (!ignores(param)) continue;
      std::set<Value> values;
      for (const Point* member : members) values.insert(member->at(param));
      if (values.size() > 1) pooled[param].insert(values.begin(), values.end());
    }
  }

  const WorkloadDef& def_;
  std::set<std::size_t> named_, pooled_;
  std::map<std::size_t, std::set<Value>> filters_;
};

// Parameters that the sweep gives several values.
std::set<std::size_t> varied(const Sweep& sweep) {
  std::set<std::size_t> params;
  for (const Dimension& dimension : dimensions_of(sweep)) {
    for (const Axis* axis : dimension.axes) params.insert(axis->param);
  }
  for (const auto& point : sweep.include) {
    for (const Setting& setting : point) params.insert(setting.param);
  }
  return params;
}

// Without exclude rules and include points, each dimension of the product is pooled by itself.
Pooled pooled_in_product(const Sweep& sweep, const Cells& cells) {
  Pooled pooled;
  for (const Dimension& dimension : dimensions_of(sweep)) {
    std::vector<Point> points(dimension.length);
    for (const Axis* axis : dimension.axes) {
      for (std::size_t i = 0; i < dimension.length; ++i) points[i][axis->param] = axis->values[i];
    }
    pooled.merge(cells.pooled_in(points));
  }
  return pooled;
}

class PoolingCheck {
 public:
  PoolingCheck(Reporter& report, const Draft& draft, const std::vector<Override>& overrides)
      : report_(report), draft_(draft), overrides_(overrides), varied_(varied(draft.sweep)) {}

  // The words of a message about a table or a plot.
  struct Words {
    const char *cells, *named;
  };
  static constexpr Words kTable{"the cells of this table", "`rows` or `columns`"};
  static constexpr Words kPlot{"the points of this plot", "`x`, `color` or `facet`"};

  // Checks a table of this sweep, or of another one that draws on this.
  void check_table(const TableSpec& table, const Node& node) {
    const Pooled pooled = check(table);
    if (!pooled.empty()) report(kTable, node, pooled);
  }

  void check_plot(const PlotSpec& plot, const Node& node) {
    Pooled pooled = check(plot.data);
    if (pooled.empty() && !plot.lines.values.empty()) pooled = check(plot.lines);
    if (!pooled.empty()) report(kPlot, node, pooled);
  }

 private:
  Pooled check(const TableSpec& table) {
    std::vector<Filters> wheres;
    if (table.values.empty()) wheres.push_back(table.where);
    for (const TableSpec::Value& value : table.values) {
      wheres.push_back(merge_filters(table.where, value.where));
    }
    Pooled pooled;
    for (const Filters& where : wheres) {
      if (!is_of_this(where)) continue;
      for (auto& [param, values] : pooled_by({*draft_.def, table, where})) {
        pooled[param].insert(values.begin(), values.end());
      }
    }
    return pooled;
  }

  // Whether a value shows this sweep, or only others of the table's.
  bool is_of_this(const Filters& where) const {
    return std::all_of(where.begin(), where.end(), [&](const TableSpec::Filter& filter) {
      return filter.name != "sweep" || std::find(filter.values.begin(), filter.values.end(),
                                                 draft_.sweep.name) != filter.values.end();
    });
  }

  Pooled pooled_by(const Cells& cells) {
    const bool ignores_some = std::any_of(varied_.begin(), varied_.end(),
                                          [&](std::size_t param) { return cells.ignores(param); });
    if (!ignores_some) return {};
    const Sweep& sweep = draft_.sweep;
    Pooled pooled = pooled_in_product(sweep, cells);
    if (sweep.include.empty() && (pooled.empty() || sweep.exclude.empty())) return pooled;
    return cells.pooled_in(points());
  }

  // The varied parameters of all trials.
  const std::vector<Point>& points() {
    if (points_) return *points_;
    points_.emplace();
    for (const ExpandedTrial& each : expand(draft_.sweep, *draft_.def).trials) {
      Point& point = points_->emplace_back();
      for (const std::size_t param : varied_) point.emplace(param, each.trial.values[param]);
    }
    return *points_;
  }

  void report(const Words& words, const Node& node, const Pooled& pooled) {
    std::vector<std::string> texts, names, set;
    for (const auto& [param, values] : pooled) {
      const ParamDef& def = draft_.def->params[param];
      std::vector<std::string> shown;
      for (const Value& value : values) {
        if (shown.size() < kMostValuesShown) shown.push_back(def.text(value));
      }
      if (values.size() > kMostValuesShown) shown.back() += " ...";
      texts.push_back(fmt::format("{} ({})", def.name, join(shown, ", ")));
      names.push_back(def.name);
      const bool by_set =
          std::any_of(overrides_.begin(), overrides_.end(), [&](const Override& each) {
            return each.name == def.name && each.values.find(',') != std::string::npos;
          });
      if (by_set) set.push_back(fmt::format("`--set {}`", def.name));
    }
    const std::string by = set.empty() ? "" : fmt::format(" ({} varies it)", join(set, ", "));
    report_.error(node.mark,
                  fmt::format("{} would pool {}, which it neither names nor fixes{}", words.cells,
                              join(texts, ", "), by),
                  fmt::format("add it to {}, fix it in `where`, or write `pool: [{}]`", words.named,
                              join(names, ", ")));
  }

  Reporter& report_;
  const Draft& draft_;
  const std::vector<Override>& overrides_;
  std::set<std::size_t> varied_;
  std::optional<std::vector<Point>> points_;
};

}  // namespace

void check_pooling(Reporter& report, const std::vector<Draft>& drafts,
                   const std::vector<Override>& overrides) {
  std::map<std::string, PoolingCheck> checks;
  for (const Draft& draft : drafts) {
    checks.try_emplace(draft.sweep.name, report, draft, overrides);
  }
  for (const Draft& draft : drafts) {
    for (std::size_t i = 0; i < draft.sweep.tables.size(); ++i) {
      const TableSource& source = draft.table_sources[i];
      const std::vector<std::string> from =
          source.from.empty() ? std::vector{draft.sweep.name} : source.from;
      for (const std::string& name : from) {
        const auto check = checks.find(name);
        if (check != checks.end()) check->second.check_table(draft.sweep.tables[i], *source.node);
      }
    }
    PoolingCheck& own = checks.at(draft.sweep.name);
    for (std::size_t i = 0; i < draft.sweep.plots.size(); ++i) {
      own.check_plot(draft.sweep.plots[i], *draft.plot_sources[i].node);
    }
  }
}

}  // namespace sweepd::sweepfile
