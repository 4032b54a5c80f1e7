#include <algorithm>
#include <set>
#include <string>

#include "runner/model/vocabulary/cell_name.h"
#include "runner/model/vocabulary/known_metric.h"
#include "runner/report/cell/convert.h"
#include "runner/report/cell/divided_metric.h"
#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

using Filters = std::vector<TableSpec::Filter>;

TableSpec::Value complete(const TableSpec& table, TableSpec::Value value) {
  if (value.cell.empty()) value.cell = table.cell;
  // A value inherits the table's unit if its metric can be shown in it. Bytes are not shown in
  // seconds.
  const bool own_metric = !value.metric.empty() && value.metric != table.metric;
  const bool fits = !own_metric ||
                    report::conversion(unit_of_metric(metric_alone(value.metric)), table.unit).ok();
  if (value.unit.empty() && fits) value.unit = table.unit;
  if (value.metric.empty()) value.metric = table.metric;
  if (!value.bold) value.bold = table.bold;
  if (!value.warmup) value.warmup = table.warmup;
  value.where = merge_filters(table.where, value.where);
  return value;
}

bool same_filters(const Filters& a, const Filters& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& left, const auto& right) {
                      return left.name == right.name && left.values == right.values;
                    });
}

// Returns the inputs of a comparison, for both sides. A p value needs all of their samples.
std::string compared_needs(const CellName& name) {
  if (name.compares_medians()) return "{median}";
  return name.name == "p" ? "{p}" : "{mean}";
}

// Returns the inputs to read for a cell's baseline.
std::string baseline_needs(const std::string& cell) {
  std::string needs = "{mean}";
  const auto parsed = parse_cell(cell);
  if (!parsed) return needs;
  for (const CellTemplate::Part& part : parsed->parts) {
    const CellName* known = find_cell_name(part.name);
    if (known != nullptr && known->kind == NameKind::kCompared) {
      needs += compared_needs(*known);
    }
  }
  return needs;
}

// Returns the inputs to read for a cell: the names of its figures, and whether it shows texts. A
// rate may need the median.
std::string needs_of(const std::string& cell, bool by_median) {
  const auto parsed = parse_cell(cell);
  std::string needs;
  if (!parsed) return needs;
  for (const CellTemplate::Part& part : parsed->parts) {
    const CellName* known = find_cell_name(part.name);
    if (known == nullptr) continue;
    if (known->kind == NameKind::kWord && part.name != "text") continue;
    if (known->kind == NameKind::kDerived && by_median) needs += "{median}";
    needs += known->kind == NameKind::kCompared ? compared_needs(*known) : "{" + part.name + "}";
  }
  return needs;
}

// Whether bold cells depend on runner/stats's comparison of both sides' samples.
bool is_judged(const TableSpec::Value& value) {
  if (scope_of(value.bold.value_or(Bold::kNone)) != BoldScope::kBaseline) return false;
  const auto cell = parse_cell(value.cell);
  return cell && std::any_of(cell->parts.begin(), cell->parts.end(), [](const auto& part) {
           const CellName* known = find_cell_name(part.name);
           return known != nullptr && known->kind == NameKind::kCompared;
         });
}

// Returns the index of an equal read, which then serves both, or of a new one.
std::size_t add_read(std::vector<QuerySpec>& reads, QuerySpec wanted) {
  for (std::size_t i = 0; i < reads.size(); ++i) {
    TableSpec& table = reads[i].table;
    if (table.metric != wanted.table.metric || table.warmup != wanted.table.warmup ||
        !same_filters(table.where, wanted.table.where)) {
      continue;
    }
    table.cell += wanted.table.cell;
    return i;
  }
  reads.push_back(std::move(wanted));
  return reads.size() - 1;
}

// Keeps the figures only. Names of rows and values do not affect what is read.
std::vector<std::string> figures_in(const std::vector<std::string>& sort) {
  std::vector<std::string> figures;
  std::copy_if(sort.begin(), sort.end(), std::back_inserter(figures), [](std::string_view key) {
    return find_cell_name(key.starts_with('-') ? key.substr(1) : key) != nullptr;
  });
  return figures;
}

}  // namespace

std::vector<TableSpec::Value> complete_values(const TableSpec& table) {
  std::vector<TableSpec::Value> values;
  if (table.values.empty()) values.push_back(complete(table, {}));
  for (const TableSpec::Value& value : table.values) values.push_back(complete(table, value));
  return values;
}

bool shows_formulas(const TableSpec& table) {
  return std::ranges::all_of(complete_values(table), [](const TableSpec::Value& value) {
    return value.metric.starts_with("figure");
  });
}

bool rates_by_median(const TableSpec& table) {
  // Means and medians of other metrics, such as the kernels' own time, do not determine a rate.
  std::set<std::string> rates, means, medians;
  for (const TableSpec::Value& value : complete_values(table)) {
    const std::string metric = metric_alone(value.metric);
    const auto cell = parse_cell(value.cell);
    if (!cell) continue;
    if (cell->parts.empty()) means.insert(metric);  // pivot() will choose a mean
    for (const CellTemplate::Part& part : cell->parts) {
      const CellName* known = part.name.empty() ? nullptr : find_cell_name(part.name);
      if (known != nullptr && known->kind == NameKind::kDerived) rates.insert(metric);
      if (part.name == "mean") means.insert(metric);
      if (part.name == "median") medians.insert(metric);
    }
  }
  return !rates.empty() && std::all_of(rates.begin(), rates.end(), [&](const std::string& metric) {
    return medians.contains(metric) && !means.contains(metric);
  });
}

TableReads plan_reads(const QuerySpec& query) {
  TableReads plan;
  const bool by_median = rates_by_median(query.table);
  for (const TableSpec::Value& value : complete_values(query.table)) {
    QuerySpec read;
    read.workload = query.workload;
    read.sweep = query.sweep;
    read.newest = query.newest;
    read.declared = query.declared;
    read.table.sort = figures_in(query.table.sort);
    read.table.rows = query.table.rows;
    read.table.columns = query.table.columns;
    read.table.metric = metric_alone(value.metric);
    const std::string judged = is_judged(value) && !query.table.baseline.empty() ? "{p}" : "";
    read.table.cell = needs_of(value.cell, by_median) + judged;
    read.table.where = value.where;
    read.table.warmup = *value.warmup;
    TableReads::Use use;
    use.results = add_read(plan.reads, read);
    if (!query.table.baseline.empty()) {
      read.table.where = merge_filters(read.table.where, query.table.baseline);
      read.table.cell = baseline_needs(value.cell) + judged;
      use.baseline = add_read(plan.reads, std::move(read));
    }
    plan.uses.push_back(use);
  }
  return plan;
}

}  // namespace sweepd
