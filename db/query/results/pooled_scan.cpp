#include "db/query/results/pooled_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "db/query/planning/identity.h"
#include "db/query/planning/plan_names.h"
#include "db/query/results/pooled_reader.h"
#include "runner/model/vocabulary/result_column.h"

namespace sweepd {
namespace {

// Fewer attempts are read one by one about as fast, and then every row names its attempt.
constexpr std::int64_t kFewestAttempts = 2000;
// Trials drawn to find what varies. If they miss a rare value, a footnote does not mention it.
constexpr int kDrawnTrials = 200;
// Columns of trial_rows and attempt_rows that precede the dimensions.
constexpr std::size_t kOtherColumns = 6;

std::int64_t count(ReaderState& state, const std::string& sql) {
  Query query(state.connection, sql);
  query.next();
  return query.integer(0);
}

// Whether anything was ever wanted in another pool than `local`. The scan takes the parameters of
// an attempt from its trial, which lacks the pool.
bool has_pools(ReaderState& state) {
  return count(state, "SELECT count(*) FROM host WHERE pool <> 'local'") > 0;
}

bool is_worth_it(ReaderState& state, const QueryPlan& plan) {
  const std::int64_t attempts = count(state, "SELECT coalesce(max(row), 0) FROM attempt");
  if (attempts < kFewestAttempts) return false;
  if (!plan.sweep) return true;
  Query query(state.connection, "SELECT count(*) FROM sweep_trial WHERE sweep = ?");
  query.bind(*plan.sweep).next();
  const std::int64_t own = query.integer(0);
  return own >= kFewestAttempts && own >= attempts / 8;
}

// Draws trials of the table or the sweep, evenly spread.
std::vector<std::int64_t> draw_trials(ReaderState& state, const QueryPlan& plan) {
  const std::string sweep = plan.sweep ? fmt::format(" WHERE sweep = {}", *plan.sweep) : "";
  const std::string table = plan.sweep ? "sweep_trial" : sql_name(params_table(plan.def->name));
  const std::int64_t first = count(state, fmt::format("SELECT min(trial) FROM {}{}", table, sweep));
  const std::int64_t last = count(state, fmt::format("SELECT max(trial) FROM {}{}", table, sweep));
  std::vector<std::int64_t> trials;
  for (int i = 0; i < kDrawnTrials; ++i) {
    // Steps of the golden ratio, so that they do not coincide with the period of an axis.
    const double share = std::fmod(i * 0.6180339887498949, 1.0);
    trials.push_back(first + static_cast<std::int64_t>(share * static_cast<double>(last - first)));
  }
  return trials;
}

void add_varying(ReaderState& state, QueryPlan& plan) {
  ParamTable params(state.connection, *plan.def);
  std::optional<Trial> first;
  std::vector<bool> varies(plan.def->params.size(), false);
  for (const std::int64_t id : draw_trials(state, plan)) {
    const auto trial = params.read(id);
    if (!trial) continue;
    if (!first) first = *trial;
    for (const std::size_t p : stored_params(*plan.def)) {
      if (trial->values[p] != first->values[p]) varies[p] = true;
    }
  }
  for (std::size_t p = 0; p < varies.size(); ++p) {
    const std::string& name = plan.def->params[p].name;
    const auto same = [&name](const PlannedDimension& d) { return d.name == name; };
    if (!varies[p] || std::any_of(plan.dimensions.begin(), plan.dimensions.end(), same)) {
      continue;
    }
    plan.dimensions.push_back(describe_dimension(*plan.def, plan.filters, name, ColumnRef(p)));
  }
}

void complete_singles(ReaderState& state, std::vector<SelectedAttempt>& singles) {
  for (SelectedAttempt& single : singles) {
    Query query(state.connection,
                "SELECT a.uid, t.key, a.outcome, a.verdict FROM attempt a JOIN trial t ON t.id = "
                "a.trial WHERE a.row = ?");
    query.bind(single.row);
    query.next();
    single.id = query.text(0);
    single.key = query.text(1);
    const auto outcome = find_outcome(query.text(2));
    single.pending = !outcome;
    if (outcome) single.outcome = *outcome;
    single.verdict = verdict_from(query.text(3));
  }
}

}  // namespace

std::optional<PooledScan> scan_pooled(ReaderState& state, QueryPlan& plan,
                                      std::vector<DimensionCoder>& coders) {
  const bool one_figure_a_row =
      plan.metrics.size() == 1 && (plan.by_phase || plan.phases.size() == 1);
  const bool poolable = plan.source == FigureSource::kSummary && one_figure_a_row &&
                        plan.pooling == Pooling::kMoments &&
                        plan.filter(ResultColumn::kSweep) == nullptr &&
                        !plan.has_dimension(ResultColumn::kSweep) && identities_in(plan).empty() &&
                        !(has_own_results(plan) && asks_for_others(plan));
  if (!poolable || has_pools(state) || !is_worth_it(state, plan)) return std::nullopt;
  QueryPlan wider = plan;
  add_varying(state, wider);
  if (wider.dimensions.size() + kOtherColumns > RowSource::kMaxColumns) return std::nullopt;
  std::vector<DimensionCoder> wider_coders(wider.dimensions.size());
  auto out = PooledReader(state, wider).read(wider_coders);
  if (!out) return std::nullopt;
  complete_singles(state, out->singles);
  plan = std::move(wider);
  coders = std::move(wider_coders);
  return out;
}

}  // namespace sweepd
