#include "db/query/pooled_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <unordered_map>

#include "db/query/coded_column.h"
#include "db/query/phase_scan.h"
#include "db/query/plan_names.h"
#include "db/query/pooled_cell.h"
#include "db/query/scan.h"

namespace sweepd {
namespace {

// Fewer are read one by one about as fast, and then every row names its attempt.
constexpr std::int64_t kFewestAttempts = 2000;
// Trials drawn to find what varies: a value so rare that they miss it costs a footnote its word.
constexpr int kDrawnTrials = 200;
// Columns of scan_sql before the dimensions'.
constexpr int kRow = 0, kTrial = 1, kOutcome = 2, kVerdict = 3, kPosition = 4, kFirstDimension = 5;

std::int64_t count(ReaderState& state, const std::string& sql) {
  Query query(state.connection, sql);
  query.next();
  return query.integer(0);
}

bool is_worth_it(ReaderState& state, const ResultPlan& plan) {
  const std::int64_t attempts = count(state, "SELECT coalesce(max(row), 0) FROM attempt");
  if (attempts < kFewestAttempts) return false;
  if (!plan.sweep) return true;
  const std::int64_t own =
      count(state, fmt::format("SELECT count(*) FROM sweep_trial WHERE sweep = {}", *plan.sweep));
  return own >= kFewestAttempts && own >= attempts / 8;
}

class PooledReader {
 public:
  PooledReader(ReaderState& state, ResultPlan& plan, std::vector<DimensionCoder>& coders)
      : state_(state), plan_(plan), coders_(coders) {}

  // False: values appear among the attempts in another order than in the sweep's file, as they do
  // when it reuses what an older one measured.
  bool read(PooledScan& out) {
    open_phases();
    for (std::size_t i = 0; i < plan_.dimensions.size(); ++i) {
      columns_.emplace_back(coders_[i], type_of(plan_, plan_.dimensions[i].column));
    }
    Scan attempts(state_.connection, scan_sql(plan_));
    while (attempts.next()) add(attempts, out);
    if (!std::all_of(columns_.begin(), columns_.end(),
                     [](const CodedColumn& c) { return c.in_order(); })) {
      return false;
    }
    for (auto& [key, cell] : cells_) out.pooled.push_back(row_of(cell));
    return true;
  }

 private:
  void open_phases() {
    const auto metric = state_.names.find(plan_.metrics.front());
    if (!metric) return;
    std::vector<std::int64_t> ids;
    if (plan_.phases.empty()) {
      Query used(state_.connection,
                 "SELECT id FROM name n WHERE EXISTS (SELECT 1 FROM summary WHERE metric = ? AND "
                 "phase = n.id)");
      used.bind(*metric);
      while (used.next()) ids.push_back(used.integer(0));
    }
    for (const std::string& name : plan_.phases) {
      if (const auto id = state_.names.find(name)) ids.push_back(*id);
    }
    for (const std::int64_t id : ids) {
      const std::string sql = fmt::format(
          "SELECT attempt, n, mean, std, min, max, p05, median, p95, mad FROM summary INDEXED BY "
          "summary_by_metric "
          "WHERE metric = {} AND phase = {} ORDER BY attempt",
          *metric, id);
      phases_.push_back({id, std::make_unique<Scan>(state_.connection, sql)});
    }
  }

  void add(const Scan& scan, PooledScan& out) {
    at_.assign(plan_.dimensions.size(), kEveryValue);
    int column = kFirstDimension;
    for (std::size_t i = 0; i < plan_.dimensions.size(); ++i) {
      if (decided_by_figures(plan_.dimensions[i].column)) continue;
      at_[i] = columns_[i].code(scan, column++);
      columns_[i].note(at_[i], scan.integer(kPosition));
    }
    const std::int64_t row = scan.integer(kRow);
    const bool trusted = scan.text(kOutcome) == "done" && scan.text(kVerdict) == "valid";
    bool any = false;
    for (PhaseScan& phase : phases_) {
      phase.advance_to(row);
      if (phase.attempt != row) continue;
      any = true;
      if (!trusted) break;
      place(phase, scan.integer(kTrial));
    }
    if (!any || !trusted) out.singles.push_back(single(scan));
  }

  void place(const PhaseScan& phase, std::int64_t trial) {
    key_.assign(1, static_cast<char32_t>(phase.id));
    for (std::size_t i = 0; i < plan_.named_dimensions; ++i) key_ += static_cast<char32_t>(at_[i]);
    auto found = cells_.find(key_);
    if (found == cells_.end()) {
      found = cells_.emplace(key_, PooledCell(at_, phase.id, trial)).first;
    }
    PooledCell& cell = found->second;
    if (cell.trial != trial) {
      cell.several_trials = true;
      for (std::size_t i = plan_.named_dimensions; i < at_.size(); ++i) {
        if (cell.at[i] != at_[i]) cell.at[i] = kEveryValue;
      }
    }
    cell.add(cell.attempts == 0 ? phase.whole() : phase.moments());
  }

  // Its id and key are read when it is known that they are needed.
  SelectedAttempt single(const Scan& scan) const {
    SelectedAttempt attempt;
    attempt.row = scan.integer(kRow);
    attempt.trial = scan.integer(kTrial);
    const auto outcome = outcome_from(std::string(scan.text(kOutcome)));
    attempt.pending = !outcome;
    if (outcome) attempt.outcome = *outcome;
    attempt.verdict = verdict_from(scan.text(kVerdict));
    attempt.at = at_;
    return attempt;
  }

  ResultRow row_of(PooledCell& cell) {
    cell.finish();
    ResultRow row;
    row.at = cell.at;
    for (std::size_t i = 0; i < plan_.dimensions.size(); ++i) {
      const auto* common = std::get_if<Common>(&plan_.dimensions[i].column);
      if (common == nullptr) continue;
      if (*common == Common::kPhase) {
        row.at[i] = coders_[i].code(Value(state_.names.text(cell.phase)));
      } else if (*common == Common::kMetric) {
        row.at[i] = coders_[i].code(Value(plan_.metrics.front()));
      }
    }
    row.stats = cell.stats;
    row.attempts = cell.attempts;
    row.several_trials = cell.several_trials;
    Query trial(state_.connection, "SELECT key FROM trial WHERE id = ?");
    trial.bind(cell.trial);
    trial.next();
    row.trial = trial.text(0);
    return row;
  }

  ReaderState& state_;
  ResultPlan& plan_;
  std::vector<DimensionCoder>& coders_;
  std::vector<CodedColumn> columns_;
  std::vector<PhaseScan> phases_;
  std::unordered_map<std::u32string, PooledCell> cells_;
  std::vector<std::uint32_t> at_;  // of the current attempt
  std::u32string key_;
};

// Trials of the table or the sweep, evenly spread.
std::vector<std::int64_t> draw_trials(ReaderState& state, const ResultPlan& plan) {
  const std::string sweep = plan.sweep ? fmt::format(" WHERE sweep = {}", *plan.sweep) : "";
  const std::string table = plan.sweep ? "sweep_trial" : sql_name(params_table(plan.def->name));
  const std::int64_t first = count(state, fmt::format("SELECT min(trial) FROM {}{}", table, sweep));
  const std::int64_t last = count(state, fmt::format("SELECT max(trial) FROM {}{}", table, sweep));
  std::vector<std::int64_t> trials;
  for (int i = 0; i < kDrawnTrials; ++i) {
    // Steps of a fraction, lest they fall in with the period of an axis.
    const double share = std::fmod(i * 0.6180339887498949, 1.0);
    trials.push_back(first + static_cast<std::int64_t>(share * static_cast<double>(last - first)));
  }
  return trials;
}

void add_varying(ReaderState& state, ResultPlan& plan) {
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

void name_singles(ReaderState& state, std::vector<SelectedAttempt>& singles) {
  for (SelectedAttempt& single : singles) {
    Query query(
        state.connection,
        "SELECT a.uid, t.key FROM attempt a JOIN trial t ON t.id = a.trial WHERE a.row = ?");
    query.bind(single.row);
    query.next();
    single.id = query.text(0);
    single.key = query.text(1);
  }
}

}  // namespace

std::optional<PooledScan> scan_pooled(ReaderState& state, ResultPlan& plan,
                                      std::vector<DimensionCoder>& coders) {
  const bool one_figure_a_row =
      plan.metrics.size() == 1 && (plan.by_phase || plan.phases.size() == 1);
  const bool poolable = plan.source == FigureSource::kSummary && one_figure_a_row &&
                        plan.pooling == Pooling::kMoments &&
                        plan.filter(Common::kSweep) == nullptr &&
                        !plan.has_dimension(Common::kSweep);
  if (!poolable || !is_worth_it(state, plan)) return std::nullopt;
  ResultPlan wider = plan;
  add_varying(state, wider);
  std::vector<DimensionCoder> wider_coders(wider.dimensions.size());
  PooledScan out;
  if (!PooledReader(state, wider, wider_coders).read(out)) return std::nullopt;
  name_singles(state, out.singles);
  plan = std::move(wider);
  coders = std::move(wider_coders);
  return out;
}

}  // namespace sweepd
