#include "db/query/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "db/query/plan_names.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// The workload that the query names, or its sweep's.
Result<void> find_workload(ReaderState& state, const QuerySpec& query, ResultPlan& plan) {
  std::string workload = query.workload;
  if (!query.sweep.empty()) {
    const auto row = sweep_row(state, query.sweep);
    if (!row) return row.error();
    plan.sweep = *row;
    Query of_sweep(state.connection, "SELECT workload, name FROM sweep WHERE id = ?");
    of_sweep.bind(*row);
    of_sweep.next();
    if (!workload.empty() && workload != of_sweep.text(0)) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("sweep `{}` measures `{}`, not `{}`", of_sweep.text(1),
                               of_sweep.text(0), workload)};
    }
    workload = of_sweep.text(0);
  }
  const auto names = state.catalog.names();
  if (workload.empty()) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("a query needs a sweep or a workload; there are {}", join(names, ", "))};
  }
  plan.def = state.catalog.find(workload);
  if (plan.def != nullptr) return {};
  return Error{ErrorCode::kNotFound, fmt::format("no workload `{}`; there are {}{}", workload,
                                                 join(names, ", "), did_you_mean(workload, names))};
}

Result<void> add_filters(ReaderState& state, const TableSpec& table, ResultPlan& plan) {
  for (const TableSpec::Filter& where : table.where) {
    const auto column = resolve_name(*plan.def, where.name, "where");
    if (!column) return column.error();
    PlannedFilter filter{*column, {}};
    for (const std::string& text : where.values) {
      auto value = parse_filter_value(state, *plan.def, *column, where.name, text);
      if (!value) return value.error();
      filter.values.push_back(std::move(*value));
    }
    plan.filters.push_back(std::move(filter));
  }
  return {};
}

Result<void> add_dimensions(const TableSpec& table, ResultPlan& plan) {
  for (const auto* names : {&table.rows, &table.columns}) {
    for (const std::string& name : *names) {
      const auto same = [&name](const PlannedDimension& d) { return d.name == name; };
      if (std::any_of(plan.dimensions.begin(), plan.dimensions.end(), same)) continue;
      const auto column = resolve_name(*plan.def, name, names == &table.rows ? "rows" : "columns");
      if (!column) return column.error();
      plan.dimensions.push_back(describe_dimension(*plan.def, plan.filters, name, *column));
      if (const auto* common = std::get_if<Common>(&*column)) {
        if (*common == Common::kPhase) plan.by_phase = true;
        if (*common == Common::kStep) plan.by_step = true;
        if (*common == Common::kRank) plan.by_rank = true;
        if (*common == Common::kMetric) plan.by_metric = true;
      }
    }
  }
  return {};
}

std::vector<std::string> texts(const PlannedFilter& filter) {
  std::vector<std::string> all;
  for (const Value& value : filter.values) all.push_back(std::get<std::string>(value));
  return all;
}

Result<void> choose_metrics(ReaderState& state, const TableSpec& table, ResultPlan& plan) {
  if (const PlannedFilter* filter = plan.filter(Common::kMetric)) {
    plan.metrics = texts(*filter);
  } else if (!table.metric.empty()) {
    const auto known =
        parse_filter_value(state, *plan.def, Common::kMetric, "metric", table.metric);
    if (!known) return known.error();
    plan.metrics = {table.metric};
  } else if (!plan.by_metric) {
    plan.metrics = {"time"};
  }
  std::size_t of_memory = 0;
  for (const std::string& metric : plan.metrics) of_memory += contains(memory_metrics(), metric);
  if (of_memory > 0 && of_memory < plan.metrics.size()) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("metrics of the timing and of the memory pass ({}) cannot stand in one "
                    "table",
                    join(plan.metrics, ", "))};
  }
  const bool by_sample = plan.by_step || plan.by_rank || plan.filter(Common::kStep) != nullptr ||
                         plan.filter(Common::kRank) != nullptr;
  if (of_memory > 0) {
    plan.source = FigureSource::kMemory;
    if (plan.by_step || plan.filter(Common::kStep) != nullptr) {
      return Error{
          ErrorCode::kInvalidArgument,
          fmt::format("`step`: {} is measured once a phase, not every step", plan.metrics.front())};
    }
  } else if (by_sample) {
    plan.source = FigureSource::kSample;
  }
  return {};
}

// Without `phase` among the dimensions a table means the whole step; pooling its parts with it
// would be a figure of nothing.
void choose_phases(ResultPlan& plan) {
  if (const PlannedFilter* filter = plan.filter(Common::kPhase)) {
    plan.phases = texts(*filter);
  } else if (!plan.by_phase) {
    const bool setup = plan.metrics == std::vector<std::string>{"setup_time"};
    plan.phases = {setup ? "setup" : "step"};
  }
}

void choose_passes(ResultPlan& plan) {
  if (const PlannedFilter* filter = plan.filter(Common::kPass)) {
    for (const std::string& name : texts(*filter)) plan.passes.push_back(*pass_from(name));
    return;
  }
  for (const PlannedDimension& dimension : plan.dimensions) {
    if (dimension.column == ColumnRef(Common::kPass)) return;
  }
  plan.passes = {plan.source == FigureSource::kMemory ? Pass::kMemory : Pass::kTiming};
}

// Work and peaks cost two more lookups an attempt, which plain statistics do not need. A name that
// is none of them is taken for a derived one.
bool is_plain(const ResultPlan& plan, const std::string& name) {
  static const std::vector<std::string> kPlain{"n",   "mean", "std", "min", "p05",     "median",
                                               "p95", "max",  "mad", "sum", "outcome", "verdict"};
  const auto is_named = [&name](const PlannedDimension& d) { return d.name == name; };
  return contains(kPlain, name) ||
         std::any_of(plan.dimensions.begin(), plan.dimensions.end(), is_named);
}

bool wants_work(const QuerySpec& query, const ResultPlan& plan) {
  for (const std::string& part : split(query.table.cell, '{')) {
    const std::size_t end = part.find_first_of(":}");
    if (end != std::string::npos && !is_plain(plan, part.substr(0, end))) return true;
  }
  return std::any_of(query.sort.begin(), query.sort.end(), [&](const std::string& key) {
    return !is_plain(plan, key.starts_with('-') ? key.substr(1) : key);
  });
}

}  // namespace

const PlannedFilter* ResultPlan::filter(Common column) const {
  for (const PlannedFilter& filter : filters) {
    if (filter.column == ColumnRef(column)) return &filter;
  }
  return nullptr;
}

Result<ResultPlan> plan_results(ReaderState& state, const QuerySpec& query) {
  ResultPlan plan;
  if (auto found = find_workload(state, query, plan); !found) return found.error();
  if (auto added = add_filters(state, query.table, plan); !added) return added.error();
  if (auto added = add_dimensions(query.table, plan); !added) return added.error();
  if (auto chosen = choose_metrics(state, query.table, plan); !chosen) return chosen.error();
  choose_phases(plan);
  choose_passes(plan);
  plan.warmup = query.table.warmup && plan.by_step;
  plan.with_work = wants_work(query, plan);
  plan.named_dimensions = plan.dimensions.size();
  return plan;
}

}  // namespace sweepd
