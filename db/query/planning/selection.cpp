#include "db/query/planning/selection.h"

#include "db/query/planning/selection_sql.h"
#include "runner/model/vocabulary/result_column.h"

namespace sweepd {
namespace {

constexpr int kFixedColumns = 10;  // of select_sql, before the dimensions

}  // namespace

Verdict verdict_from(std::string_view text) {
  if (text == name_of(Verdict::kSuspect)) return Verdict::kSuspect;
  if (text == name_of(Verdict::kInvalid)) return Verdict::kInvalid;
  return Verdict::kValid;
}

ValueType type_of(const QueryPlan& plan, const ColumnRef& column) {
  if (const auto* param = std::get_if<std::size_t>(&column)) return plan.def->params[*param].type;
  return std::get<ResultColumn>(column) == ResultColumn::kRepeat ? ValueType::kInteger
                                                                 : ValueType::kText;
}

std::vector<SelectedAttempt> select_attempts(ReaderState& state, const QueryPlan& plan,
                                             std::vector<DimensionCoder>& coders) {
  std::vector<SelectedAttempt> selected;
  Query query(state.connection, select_sql(plan));
  if (plan.sweep) query.bind(*plan.sweep);
  while (query.next()) {
    SelectedAttempt attempt;
    attempt.row = query.integer(0);
    attempt.id = query.text(1);
    const auto outcome = find_outcome(query.text(2));
    attempt.pending = !outcome;
    if (outcome) attempt.outcome = *outcome;
    attempt.verdict = verdict_from(query.text(3));
    attempt.trial = query.integer(4);
    attempt.key = query.text(5);
    attempt.repeat = query.integer(6);
    attempt.host = query.integer(7);
    attempt.pass = *pass_from(query.text(8));
    attempt.started = WallTime{query.integer(9)};
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
