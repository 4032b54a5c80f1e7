#include "db/query/planning/selection_sql.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "db/base/pool_hosts.h"
#include "db/query/planning/identity.h"
#include "db/query/planning/own_results.h"
#include "runner/base/text.h"
#include "runner/model/vocabulary/result_column.h"

namespace sweepd {
namespace {

constexpr const char* kState =
    "coalesce(a.outcome, iif(a.started_ns IS NULL, 'queued', 'running'))";
// The sweep's own `repeats` if the query names a sweep, else the largest of those that share the
// attempt.
constexpr const char* kRepeatsOfAnySweep =
    "(SELECT max(st2.repeats) FROM sweep_attempt sa2 JOIN sweep_trial st2 ON "
    "st2.sweep = sa2.sweep AND st2.trial = a.trial AND st2.pool = (SELECT ph.pool FROM host ph "
    "WHERE ph.id = a.host) WHERE sa2.attempt = a.row)";

std::string param_expression(const QueryPlan& plan, const ParamDef& param) {
  if (!is_per_sweep(param)) return "p." + sql_name(param.name);
  if (param.role == ParamRole::kPlace) return plan.sweep ? "st.pool" : pool_of_attempt("a");
  if (param.name == "priority") return "a.priority";
  if (param.name == "timeout") return "a.timeout_ns";
  return plan.sweep ? "st.repeats" : kRepeatsOfAnySweep;
}

std::string expression(const QueryPlan& plan, const ColumnRef& column) {
  if (const auto* param = std::get_if<std::size_t>(&column)) {
    return param_expression(plan, plan.def->params[*param]);
  }
  switch (std::get<ResultColumn>(column)) {
    case ResultColumn::kPass:
      return "a.pass";
    case ResultColumn::kRepeat:
      return "a.repeat";
    case ResultColumn::kOutcome:
      return kState;
    case ResultColumn::kVerdict:
      return "coalesce(a.verdict, '')";
    case ResultColumn::kHost:
      return "h.hostname";
    case ResultColumn::kDeviceName:
      return "coalesce(d.name, '')";
    case ResultColumn::kCode:
    case ResultColumn::kMachine:
    case ResultColumn::kBuild:
    case ResultColumn::kTorch:
    case ResultColumn::kDriver:
      return identity_expression(std::get<ResultColumn>(column), "a", "e");
    case ResultColumn::kSweep:
      return "sw.uid";
    case ResultColumn::kPhase:
    case ResultColumn::kMetric:
    case ResultColumn::kStep:
    case ResultColumn::kRank:
    default:
      break;
  }
  return "NULL";
}

bool uses(const QueryPlan& plan, ResultColumn column) {
  const auto is = [column](const auto& item) { return item.column == ColumnRef(column); };
  return std::any_of(plan.dimensions.begin(), plan.dimensions.end(), is) ||
         std::any_of(plan.filters.begin(), plan.filters.end(), is);
}

bool by_sweep(const QueryPlan& plan) {
  return plan.sweep || uses(plan, ResultColumn::kSweep);
}

std::string machine_joins(const QueryPlan& plan, std::string_view join) {
  std::string joins;
  if (uses(plan, ResultColumn::kHost)) joins += fmt::format("{} host h ON h.id = a.host ", join);
  if (uses(plan, ResultColumn::kDeviceName)) {
    joins +=
        "LEFT JOIN attempt_device ad ON ad.attempt = a.row AND ad.rank = 0 "
        "LEFT JOIN device d ON d.id = ad.device ";
  }
  if (!identities_in(plan).empty()) joins += "LEFT JOIN environment e ON e.id = a.environment ";
  return joins;
}

// CROSS JOIN fixes the order of the loops, since the planner has no statistics to choose it by.
std::string from_clause(const QueryPlan& plan) {
  const std::string params = sql_name(params_table(plan.def->name));
  std::string from = by_sweep(plan) ? fmt::format(
                                          "FROM sweep_trial st CROSS JOIN {} p ON p.trial "
                                          "= st.trial ",
                                          params)
                                    : fmt::format("FROM {} p ", params);
  from += "CROSS JOIN attempt a ON a.trial = p.trial ";
  if (by_sweep(plan)) from += fmt::format("AND {} = st.pool ", pool_of_attempt("a"));
  if (uses(plan, ResultColumn::kSweep)) from += "JOIN sweep sw ON sw.id = st.sweep ";
  return from + machine_joins(plan, "JOIN");
}

std::string condition(const QueryPlan& plan, const PlannedFilter& filter) {
  std::vector<std::string> literals;
  for (const Value& value : filter.values) literals.push_back(sql_literal(value));
  const std::string list = join(literals, ", ");
  if (filter.column == ColumnRef(ResultColumn::kHost)) {
    return fmt::format("(h.hostname IN ({0}) OR h.uid IN ({0}))", list);
  }
  return fmt::format("{} IN ({})", expression(plan, filter.column), list);
}

// Returns the conditions on a trial or those on an attempt. `sweep` stands for the plan's sweep.
std::vector<std::string> conditions(const QueryPlan& plan, Level level,
                                    const std::string& sweep = "") {
  std::vector<std::string> all;
  for (const PlannedFilter& filter : plan.filters) {
    if (level_of(plan, filter.column) == level) all.push_back(condition(plan, filter));
  }
  if (level == Level::kTrial) {
    if (plan.sweep) all.push_back("st.sweep = " + sweep);
    return all;
  }
  std::vector<std::string> passes;
  for (const Pass pass : plan.passes) passes.push_back(fmt::format("'{}'", name_of(pass)));
  if (!passes.empty()) all.push_back(fmt::format("a.pass IN ({})", join(passes, ", ")));
  return all;
}

// The condition by which one attempt of a point counts. A sweep is `st.sweep`.
std::string which_counts(const QueryPlan& plan) {
  if (!by_sweep(plan) || plan.newest) return counts_among(identities_in(plan));
  return asks_for_others(plan) ? counts_among(identities_in(plan), "st.sweep")
                               : counts_for_sweep("a", "st.sweep");
}

std::string where_clause(const QueryPlan& plan) {
  std::vector<std::string> all = conditions(plan, Level::kTrial, "?");
  const std::vector<std::string> of_attempt = conditions(plan, Level::kAttempt);
  all.insert(all.end(), of_attempt.begin(), of_attempt.end());
  all.push_back(which_counts(plan));
  // Another sweep may have repeated the trial more often than this one requested.
  if (plan.sweep) all.emplace_back("(a.pass <> 'timing' OR a.repeat < st.repeats)");
  return all.empty() ? "" : "WHERE " + join(all, " AND ") + " ";
}

bool is_named(const QueryPlan& plan, const PlannedDimension& dimension) {
  return &dimension < plan.dimensions.data() + plan.named_dimensions;
}

// Returns ", p.model, a.repeat" for the dimensions that `wanted` accepts.
template <class Wanted>
std::string dimension_columns(const QueryPlan& plan, Wanted wanted) {
  std::string columns;
  for (const PlannedDimension& dimension : plan.dimensions) {
    if (wanted(dimension)) columns += ", " + expression(plan, dimension.column);
  }
  return columns;
}

}  // namespace

Level level_of(const QueryPlan& plan, const ColumnRef& column) {
  if (decided_by_figures(column)) return Level::kFigure;
  const auto* index = std::get_if<std::size_t>(&column);
  if (index == nullptr) return Level::kAttempt;
  const ParamDef& param = plan.def->params[*index];
  const bool of_sweep = param.name == "repeats" || param.role == ParamRole::kPlace;
  const bool of_attempt = is_per_sweep(param) && !(plan.sweep && of_sweep);
  return of_attempt ? Level::kAttempt : Level::kTrial;
}

std::string select_sql(const QueryPlan& plan) {
  const std::string columns = dimension_columns(
      plan, [](const PlannedDimension& d) { return !decided_by_figures(d.column); });
  return fmt::format(
      "SELECT a.row, a.uid, {}, a.verdict, t.id, t.key, a.repeat, a.host, a.pass, "
      "coalesce(a.started_ns, 0){} {}JOIN trial t ON t.id = a.trial {}ORDER BY {}p.trial, a.pass, "
      "a.repeat, a.host",
      kState, columns, from_clause(plan), where_clause(plan),
      by_sweep(plan) ? "st.sweep, st.position, " : "");
}

std::string chosen_attempts(const QueryPlan& plan, const std::string& joins) {
  return from_clause(plan) + joins + where_clause(plan);
}

RowSource trial_rows(const QueryPlan& plan) {
  const std::string params = sql_name(params_table(plan.def->name));
  const std::string sweep = plan.sweep ? std::to_string(*plan.sweep) : "";
  const std::vector<std::string> wanted = conditions(plan, Level::kTrial, sweep);
  const std::string where = wanted.empty() ? "" : "WHERE " + join(wanted, " AND ");
  const std::string dimensions = dimension_columns(plan, [&plan](const PlannedDimension& d) {
    return level_of(plan, d.column) == Level::kTrial && is_named(plan, d);
  });
  // NOT INDEXED makes SQLite scan the table front to back.
  if (!plan.sweep) {
    return {"p.trial" + dimensions, fmt::format("FROM {} p NOT INDEXED {}", params, where)};
  }
  return {
      "st.trial, st.position, st.repeats" + dimensions,
      fmt::format("FROM sweep_trial st CROSS JOIN {} p ON p.trial = st.trial {}", params, where)};
}

std::string trials_with_attempts(const QueryPlan& plan) {
  std::string from = trial_rows(plan).rest;
  const std::vector<std::string> of_attempt = conditions(plan, Level::kAttempt);
  const bool filters_attempts = std::ranges::any_of(plan.filters, [&](const PlannedFilter& filter) {
    return level_of(plan, filter.column) == Level::kAttempt;
  });
  // A sweep has attempts of its passes for each of its trials.
  if (of_attempt.empty() || (plan.sweep && !filters_attempts)) return from;
  const bool has_where = from.find("WHERE ") != std::string::npos;
  return fmt::format("{} {} EXISTS (SELECT 1 FROM attempt a {} WHERE a.trial = p.trial AND {})",
                     from, has_where ? "AND" : "WHERE", machine_joins(plan, "JOIN"),
                     join(of_attempt, " AND "));
}

RowSource difference_rows(const QueryPlan& plan, const std::string& condition) {
  const std::string params = sql_name(params_table(plan.def->name));
  const std::string dimensions =
      dimension_columns(plan, [&plan](const PlannedDimension& d) { return !is_named(plan, d); });
  return {"p.trial" + dimensions, fmt::format("FROM {} p NOT INDEXED WHERE {}", params, condition)};
}

namespace {

std::string attempt_columns(const QueryPlan& plan) {
  const std::string dimensions = dimension_columns(plan, [&plan](const PlannedDimension& d) {
    return level_of(plan, d.column) == Level::kAttempt;
  });
  const std::string of_sweep =
      plan.sweep ? ", iif(a.pass = 'timing', a.repeat, -1), " + has_another("a") : "";
  return "a.row, a.trial, a.outcome, a.verdict" + of_sweep + dimensions;
}

std::string attempt_conditions(const QueryPlan& plan) {
  const std::vector<std::string> wanted = conditions(plan, Level::kAttempt);
  return wanted.empty() ? "1" : join(wanted, " AND ");
}

}  // namespace

bool has_own_results(const QueryPlan& plan) {
  return plan.sweep && !plan.newest;
}

RowSource attempt_rows(const QueryPlan& plan) {
  // Conditions do not apply to an attempt that counts instead of another.
  const std::string counts = has_own_results(plan) ? fmt::format("{} OR ", has_another("a"))
                                                   : std::string("a.is_current = 1 AND ");
  return {attempt_columns(plan),
          fmt::format("FROM attempt a NOT INDEXED {}WHERE {}({})",
                      machine_joins(plan, "CROSS JOIN"), counts, attempt_conditions(plan))};
}

RowSource rows_of_sweep(const QueryPlan& plan) {
  return {"attempt", fmt::format("FROM sweep_attempt WHERE sweep = {}", *plan.sweep)};
}

RowSource rows_instead(const QueryPlan& plan) {
  return {attempt_columns(plan),
          fmt::format("FROM sweep_attempt sa CROSS JOIN attempt own ON own.row = sa.attempt CROSS "
                      "JOIN attempt a ON a.row = {} {}WHERE sa.sweep = {} AND {} AND {}",
                      row_instead_of("own"), machine_joins(plan, "CROSS JOIN"), *plan.sweep,
                      has_another("own"), attempt_conditions(plan))};
}

}  // namespace sweepd
