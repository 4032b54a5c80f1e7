#include "db/query/planning/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "db/query/planning/identity.h"
#include "db/query/planning/plan_names.h"
#include "db/query/planning/shown_metrics.h"
#include "runner/base/text.h"
#include "runner/model/vocabulary/cell_name.h"
#include "runner/model/vocabulary/known_metric.h"
#include "runner/model/vocabulary/result_column.h"

namespace sweepd {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool contains_value(const std::vector<Value>& list, std::int64_t value) {
  return std::find(list.begin(), list.end(), Value(value)) != list.end();
}

// Finds the workload that the query names, or that of its sweep.
Result<void> find_workload(ReaderState& state, const QuerySpec& query, QueryPlan& plan) {
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
  if (plan.def != nullptr) {
    // Another machine's file, read in place, may lack workloads that this build has.
    Query stored(state.connection, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
    stored.bind(params_table(workload));
    if (stored.next()) return {};
    return Error{ErrorCode::kNotFound,
                 fmt::format("this database has no results of `{}`", workload)};
  }
  return Error{ErrorCode::kNotFound, fmt::format("no workload `{}`; there are {}{}", workload,
                                                 join(names, ", "), did_you_mean(workload, names))};
}

UnknownNames unknown_names(const QuerySpec& query, QueryPlan& plan) {
  return query.declared ? &plan.unknown : nullptr;
}

Result<void> add_filters(ReaderState& state, const QuerySpec& query, QueryPlan& plan) {
  for (const TableSpec::Filter& where : query.table.where) {
    const auto column = resolve_name(*plan.def, where.name, "where");
    if (!column) return column.error();
    PlannedFilter filter{*column, {}};
    for (const std::string& text : where.values) {
      auto value = parse_filter_value(state, *plan.def, *column, where.name, text,
                                      unknown_names(query, plan));
      if (!value) return value.error();
      filter.values.push_back(std::move(*value));
    }
    plan.filters.push_back(std::move(filter));
  }
  return {};
}

Result<void> add_dimensions(const TableSpec& table, QueryPlan& plan) {
  for (const auto* names : {&table.rows, &table.columns}) {
    for (const std::string& name : *names) {
      const auto same = [&name](const PlannedDimension& d) { return d.name == name; };
      if (std::any_of(plan.dimensions.begin(), plan.dimensions.end(), same)) continue;
      const auto column = resolve_name(*plan.def, name, names == &table.rows ? "rows" : "columns");
      if (!column) return column.error();
      plan.dimensions.push_back(describe_dimension(*plan.def, plan.filters, name, *column));
      if (const auto* common = std::get_if<ResultColumn>(&*column)) {
        if (*common == ResultColumn::kPhase) plan.by_phase = true;
        if (*common == ResultColumn::kStep) plan.by_step = true;
        if (*common == ResultColumn::kRank) plan.by_rank = true;
        if (*common == ResultColumn::kMetric) plan.by_metric = true;
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

// Returns the metric of a table that names none: that of the source whose columns it names, else
// the time.
std::string implied_metric(const QueryPlan& plan) {
  const auto named = [&](std::initializer_list<ResultColumn> columns) {
    return std::any_of(columns.begin(), columns.end(), [&](ResultColumn column) {
      return plan.has_dimension(column) || plan.filter(column) != nullptr;
    });
  };
  if (named({ResultColumn::kFact})) return "fact";
  if (named({ResultColumn::kFigure})) return "figure";
  if (named({ResultColumn::kAllocation, ResultColumn::kOrigin})) return "allocation_bytes";
  if (named({ResultColumn::kOperator})) return "operator_self_cpu_time";
  if (named({ResultColumn::kKernel, ResultColumn::kClass, ResultColumn::kGrid, ResultColumn::kBlock,
             ResultColumn::kRange})) {
    return "kernel_time";
  }
  return "time";
}

Result<FigureSource> source_of(const std::vector<std::string>& metrics) {
  std::optional<FigureSource> source;
  for (const std::string& metric : metrics) {
    // All metrics of a query must come from one source: rows of different sources do not have the
    // same columns.
    const FigureSource own = source_of_metric(metric);
    if (!source) source = own;
    if (*source == own) continue;
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("metrics of {} and of {} ({}) cannot be in one table",
                             describe(*source), describe(own), join(metrics, ", "))};
  }
  return source.value_or(FigureSource::kSummary);
}

// `rank: slowest` does not name a rank: which one it is differs from step to step.
Result<void> choose_rank(QueryPlan& plan) {
  const PlannedFilter* filter = plan.filter(ResultColumn::kRank);
  if (filter == nullptr || !contains_value(filter->values, kSlowestRank)) return {};
  if (filter->values.size() > 1 || plan.by_rank) {
    return Error{
        ErrorCode::kInvalidArgument,
        "rank: `slowest` cannot be combined with other ranks, nor with `rank` in rows or columns"};
  }
  if (plan.source != FigureSource::kSummary) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("rank: `slowest` needs samples, but {} comes from {}",
                             join(plan.metrics, ", "), describe(plan.source))};
  }
  plan.slowest_rank = true;
  return {};
}

Result<void> choose_metrics(ReaderState& state, const QuerySpec& query, QueryPlan& plan) {
  const TableSpec& table = query.table;
  if (const PlannedFilter* filter = plan.filter(ResultColumn::kMetric)) {
    plan.metrics = texts(*filter);
  } else if (!table.metric.empty()) {
    const std::string metric = metric_as_stored(state, table.metric);
    const auto known = check_metric(state, *plan.def, metric, unknown_names(query, plan));
    if (!known) return known.error();
    plan.metrics = {metric};
  } else if (!plan.by_metric) {
    plan.metrics = {implied_metric(plan)};
  }
  const auto source = source_of(plan.metrics);
  if (!source) return source.error();
  plan.source = *source;
  if (auto chosen = choose_rank(plan); !chosen) return chosen.error();
  const bool by_sample = plan.by_step || plan.by_rank ||
                         plan.filter(ResultColumn::kStep) != nullptr ||
                         plan.filter(ResultColumn::kRank) != nullptr || plan.slowest_rank;
  if (plan.source == FigureSource::kSummary && by_sample) plan.source = FigureSource::kSample;
  return {};
}

// Figures and facts hold for every phase, step and rank, so a table may name these anyway. Any
// other column that the source lacks cannot be shown.
Result<void> check_column(const QueryPlan& plan, const std::string& name, const ColumnRef& ref) {
  if (!decided_by_figures(ref)) return {};
  const ResultColumn column = std::get<ResultColumn>(ref);
  if (has_column(plan.source, column)) return {};
  const bool of_trial = plan.source == FigureSource::kFigure || plan.source == FigureSource::kFact;
  if (of_trial && column < ResultColumn::kFact) return {};
  const std::string metric = plan.metrics.empty() ? "time" : plan.metrics.front();
  if (column == ResultColumn::kStep) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`step`: {} is measured once per phase, not in every step", metric)};
  }
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("`{}`: {} has no such column, it comes from {}", name, metric,
                           describe(plan.source))};
}

Result<void> check_columns(const TableSpec& table, QueryPlan& plan) {
  for (std::size_t i = 0; i < plan.dimensions.size(); ++i) {
    const PlannedDimension& dimension = plan.dimensions[i];
    if (auto ok = check_column(plan, dimension.name, dimension.column); !ok) return ok;
    const auto* common = std::get_if<ResultColumn>(&dimension.column);
    if (common != nullptr && *common >= ResultColumn::kFact) plan.keys.push_back(i);
  }
  for (std::size_t i = 0; i < plan.filters.size(); ++i) {
    if (auto ok = check_column(plan, table.where[i].name, plan.filters[i].column); !ok) return ok;
  }
  for (const std::string& metric : plan.metrics) {
    if (metric != "fact" && metric != "figure") continue;
    if (plan.has_dimension(metric == "fact" ? ResultColumn::kFact : ResultColumn::kFigure))
      continue;
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("metric: `{0}` means all of them: put `{0}` in rows or columns, or "
                             "name one as `{0}.NAME`",
                             metric)};
  }
  return {};
}

// Without `phase` among the dimensions a table means the whole step. Pooling the step with its
// parts would be meaningless. A step's kernels and blocks are those of all its phases.
void choose_phases(QueryPlan& plan) {
  if (!has_column(plan.source, ResultColumn::kPhase)) return;
  const bool adds_up = plan.source == FigureSource::kKernel ||
                       plan.source == FigureSource::kOperator ||
                       plan.source == FigureSource::kAllocation;
  if (const PlannedFilter* filter = plan.filter(ResultColumn::kPhase)) {
    plan.phases = texts(*filter);
    if (adds_up && contains(plan.phases, "step") && !plan.by_phase) plan.phases.clear();
  } else if (!plan.by_phase && !adds_up) {
    const KnownMetric* known =
        plan.metrics.size() == 1 ? find_known_metric(plan.metrics.front()) : nullptr;
    const bool setup = known != nullptr && known->when == KnownMetric::When::kSetup;
    plan.phases = {setup ? "setup" : "step"};
  }
}

// Whether only a profile pass has samples of all the metrics.
bool are_of_profile(const std::vector<std::string>& metrics) {
  return !metrics.empty() && std::all_of(metrics.begin(), metrics.end(), [](const auto& metric) {
    return pass_of_metric(metric) == Pass::kProfile;
  });
}

void choose_passes(QueryPlan& plan) {
  if (const PlannedFilter* filter = plan.filter(ResultColumn::kPass)) {
    for (const std::string& name : texts(*filter)) plan.passes.push_back(*pass_from(name));
    return;
  }
  if (plan.has_dimension(ResultColumn::kPass)) return;
  switch (plan.source) {
    case FigureSource::kSummary:
    case FigureSource::kSample:
    case FigureSource::kSteadiness:
      plan.passes = {are_of_profile(plan.metrics) ? Pass::kProfile : Pass::kTiming};
      break;
    case FigureSource::kMemory:
    case FigureSource::kAllocation:
      plan.passes = {Pass::kMemory};
      break;
    case FigureSource::kKernel:
    case FigureSource::kOperator:
      plan.passes = {Pass::kProfile};
      break;
    case FigureSource::kFigure:
    case FigureSource::kFact:
      plan.any_pass = true;
      break;
  }
}

// Returns the quantities that the cell shows and the rows are sorted by, such as `mean` and
// `tflops`.
std::vector<const CellName*> figures_of(const TableSpec& table) {
  std::vector<const CellName*> figures;
  const auto add = [&figures](const std::string& name) {
    if (const CellName* known = find_cell_name(name)) figures.push_back(known);
  };
  for (const std::string& part : split(table.cell, '{')) {
    const std::size_t end = part.find_first_of(":}");
    if (end != std::string::npos) add(part.substr(0, end));
  }
  for (const std::string& key : table.sort) {
    add(key.starts_with('-') ? key.substr(1) : key);
  }
  return figures;
}

// Work and peaks cost two more lookups per attempt, which most figures do not need.
void choose_depth(const TableSpec& table, QueryPlan& plan) {
  for (const CellName* figure : figures_of(table)) {
    if (figure->needs_work()) plan.with_work = true;
    if (figure->name == "min" || figure->name == "max") plan.with_extremes = true;
    // The error of a mean comes from the means of the attempts.
    if (figure->kind == NameKind::kError) plan.pooling = Pooling::kEachAttempt;
  }
  plan.with_text = table.cell.find("{text") != std::string::npos;
  const bool any_bandwidth = std::any_of(plan.metrics.begin(), plan.metrics.end(), is_bandwidth);
  if (plan.with_work || plan.with_text || any_bandwidth) plan.pooling = Pooling::kEachAttempt;
}

}  // namespace

Result<QueryPlan> plan_results(ReaderState& state, const QuerySpec& query) {
  QueryPlan plan;
  plan.newest = query.newest;
  if (auto found = find_workload(state, query, plan); !found) return found.error();
  if (auto added = add_filters(state, query, plan); !added) return added.error();
  if (auto added = add_dimensions(query.table, plan); !added) return added.error();
  if (auto apart = check_identities(plan); !apart) return apart.error();
  if (auto chosen = choose_metrics(state, query, plan); !chosen) return chosen.error();
  if (auto checked = check_columns(query.table, plan); !checked) return checked.error();
  choose_phases(plan);
  choose_passes(plan);
  plan.warmup = query.table.warmup && plan.by_step;
  choose_depth(query.table, plan);
  plan.named_dimensions = plan.dimensions.size();
  return plan;
}

}  // namespace sweepd
