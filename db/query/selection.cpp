#include "db/query/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"

namespace sweepd {
namespace {

constexpr int kFixedColumns = 9;
constexpr const char* kState =
    "coalesce(a.outcome, iif(a.started_ns IS NULL, 'queued', 'running'))";
// A sweep's own wish where one is asked for, else the largest of those that share the attempt.
constexpr const char* kRepeatsOfAnySweep =
    "(SELECT max(st2.repeats) FROM sweep_attempt sa2 JOIN sweep_trial st2 ON "
    "st2.sweep = sa2.sweep AND st2.trial = a.trial WHERE sa2.attempt = a.row)";

std::string param_expression(const ResultPlan& plan, const ParamDef& param) {
  if (!is_per_sweep(param)) return "p." + sql_name(param.name);
  if (param.name == "priority") return "a.priority";
  if (param.name == "timeout") return "a.timeout_ns";
  return plan.sweep ? "st.repeats" : kRepeatsOfAnySweep;
}

std::string expression(const ResultPlan& plan, const ColumnRef& column) {
  if (const auto* param = std::get_if<std::size_t>(&column)) {
    return param_expression(plan, plan.def->params[*param]);
  }
  switch (std::get<Common>(column)) {
    case Common::kPass:
      return "a.pass";
    case Common::kRepeat:
      return "a.repeat";
    case Common::kOutcome:
      return kState;
    case Common::kVerdict:
      return "coalesce(a.verdict, '')";
    case Common::kHost:
      return "h.hostname";
    case Common::kDeviceName:
      return "coalesce(d.name, '')";
    case Common::kSweep:
      return "sw.uid";
    case Common::kPhase:
    case Common::kMetric:
    case Common::kStep:
    case Common::kRank:
    default:
      break;
  }
  return "NULL";
}

bool uses(const ResultPlan& plan, Common column) {
  const auto is = [column](const auto& item) { return item.column == ColumnRef(column); };
  return std::any_of(plan.dimensions.begin(), plan.dimensions.end(), is) ||
         std::any_of(plan.filters.begin(), plan.filters.end(), is);
}

// Which table leads: by trial the order of results comes for free; by attempt each table is read
// once from front to back, which is what a hundred thousand of them need.
enum class Loop { kByTrial, kByAttempt };

// CROSS JOIN fixes the order of the loops: the planner has no statistics to know it by.
std::string from_clause(const ResultPlan& plan, Loop loop) {
  const std::string params = sql_name(params_table(plan.def->name));
  const bool by_sweep = plan.sweep || uses(plan, Common::kSweep);
  std::string from;
  if (loop == Loop::kByAttempt) {
    from = fmt::format("FROM attempt a CROSS JOIN {} p ON p.trial = a.trial AND a.is_current = 1 ",
                       params);
    if (by_sweep) from += "CROSS JOIN sweep_trial st ON st.trial = a.trial ";
  } else {
    from = by_sweep
               ? fmt::format("FROM sweep_trial st CROSS JOIN {} p ON p.trial = st.trial ", params)
               : fmt::format("FROM {} p ", params);
    from += "CROSS JOIN attempt a ON a.trial = p.trial AND a.is_current = 1 ";
  }
  if (uses(plan, Common::kSweep)) from += "JOIN sweep sw ON sw.id = st.sweep ";
  if (uses(plan, Common::kHost)) from += "JOIN host h ON h.id = a.host ";
  if (uses(plan, Common::kDeviceName)) {
    from +=
        "LEFT JOIN attempt_device ad ON ad.attempt = a.row AND ad.rank = 0 "
        "LEFT JOIN device d ON d.id = ad.device ";
  }
  return from;
}

std::string where_clause(const ResultPlan& plan) {
  std::vector<std::string> conditions{"1"};
  if (plan.sweep) {
    conditions.push_back(fmt::format("st.sweep = {}", *plan.sweep));
    // Another sweep may have repeated the trial more often; this one did not ask for that.
    conditions.emplace_back("(a.pass <> 'timing' OR a.repeat < st.repeats)");
  }
  std::vector<std::string> passes;
  for (const Pass pass : plan.passes) passes.push_back(fmt::format("'{}'", name_of(pass)));
  if (!passes.empty()) conditions.push_back(fmt::format("a.pass IN ({})", join(passes, ", ")));
  for (const PlannedFilter& filter : plan.filters) {
    if (decided_by_figures(filter.column)) continue;
    std::vector<std::string> literals;
    for (const Value& value : filter.values) literals.push_back(sql_literal(value));
    const std::string list = join(literals, ", ");
    if (filter.column == ColumnRef(Common::kHost)) {
      conditions.push_back(fmt::format("(h.hostname IN ({0}) OR h.uid IN ({0}))", list));
    } else {
      conditions.push_back(fmt::format("{} IN ({})", expression(plan, filter.column), list));
    }
  }
  return "WHERE " + join(conditions, " AND ") + " ";
}

std::string dimension_columns(const ResultPlan& plan) {
  std::string columns;
  for (const PlannedDimension& dimension : plan.dimensions) {
    if (!decided_by_figures(dimension.column)) {
      columns += ", " + expression(plan, dimension.column);
    }
  }
  return columns;
}

std::string select_sql(const ResultPlan& plan) {
  const bool by_sweep = plan.sweep || uses(plan, Common::kSweep);
  return fmt::format(
      "SELECT a.row, a.uid, {}, a.verdict, t.id, t.key, a.repeat, a.host, a.pass{} {}JOIN trial t "
      "ON t.id = a.trial {}ORDER BY {}p.trial, a.pass, a.repeat, a.host",
      kState, dimension_columns(plan), from_clause(plan, Loop::kByTrial), where_clause(plan),
      by_sweep ? "st.sweep, st.position, " : "");
}

}  // namespace

Verdict verdict_from(std::string_view text) {
  if (text == name_of(Verdict::kSuspect)) return Verdict::kSuspect;
  if (text == name_of(Verdict::kInvalid)) return Verdict::kInvalid;
  return Verdict::kValid;
}

std::string scan_sql(const ResultPlan& plan) {
  return fmt::format("SELECT a.row, a.trial, a.outcome, a.verdict{}{} {}{}ORDER BY a.row",
                     plan.sweep ? ", st.position" : ", 0", dimension_columns(plan),
                     from_clause(plan, Loop::kByAttempt), where_clause(plan));
}

ValueType type_of(const ResultPlan& plan, const ColumnRef& column) {
  if (const auto* param = std::get_if<std::size_t>(&column)) return plan.def->params[*param].type;
  return std::get<Common>(column) == Common::kRepeat ? ValueType::kInteger : ValueType::kText;
}

std::vector<SelectedAttempt> select_attempts(ReaderState& state, const ResultPlan& plan,
                                             std::vector<DimensionCoder>& coders) {
  std::vector<SelectedAttempt> selected;
  Query query(state.connection, select_sql(plan));
  while (query.next()) {
    SelectedAttempt attempt;
    attempt.row = query.integer(0);
    attempt.id = query.text(1);
    const auto outcome = outcome_from(query.text(2));
    attempt.pending = !outcome;
    if (outcome) attempt.outcome = *outcome;
    attempt.verdict = verdict_from(query.text(3));
    attempt.trial = query.integer(4);
    attempt.key = query.text(5);
    attempt.repeat = query.integer(6);
    attempt.host = query.integer(7);
    attempt.pass = *pass_from(query.text(8));
    attempt.at.assign(plan.dimensions.size(), kEveryValue);
    int column = kFixedColumns;
    for (std::size_t i = 0; i < plan.dimensions.size(); ++i) {
      const ColumnRef& ref = plan.dimensions[i].column;
      if (decided_by_figures(ref)) continue;
      attempt.at[i] = coders[i].code(read_value(query, column++, type_of(plan, ref)));
    }
    selected.push_back(std::move(attempt));
  }
  return selected;
}

}  // namespace sweepd
