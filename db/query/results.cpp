// Reader::results: select attempts, read their figures, put dimensions into display order.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "db/ending_columns.h"
#include "db/query/figures.h"
#include "db/query/selection.h"
#include "db/query/work_reader.h"

namespace sweepd {
namespace {

class ResultBuilder {
 public:
  ResultBuilder(ReaderState& state, const ResultPlan& plan, bool with_samples)
      : state_(state),
        plan_(plan),
        coders_(plan.dimensions.size()),
        figures_(state, plan, with_samples),
        work_(state) {}

  ResultSet build();

 private:
  // What figures decide of a row: phase, metric, step, rank, as values of their dimensions.
  struct Place {
    std::string phase, metric;
    Value step, rank;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  Place place_of(const FigureRow& figure);
  void set_place(ResultRow& row, const Place& place);
  void add_done(const SelectedAttempt& attempt);
  void add_word(const SelectedAttempt& attempt, const std::vector<Place>& places);
  std::vector<Place> places_for_words() const;
  std::string note_of(const SelectedAttempt& attempt);
  void order_dimensions();
  std::map<std::string, std::string> sweep_names(const std::vector<Value>& ids);

  ReaderState& state_;
  const ResultPlan& plan_;
  std::vector<DimensionCoder> coders_;
  FigureReader figures_;
  WorkReader work_;
  ResultSet results_;
  std::vector<Place> seen_;  // of done rows, each once, in order of first appearance
  std::set<Place> seen_set_;
};

ResultRow row_of(const SelectedAttempt& attempt) {
  ResultRow row;
  row.at = attempt.at;
  row.outcome = attempt.outcome;
  row.pending = attempt.pending;
  row.verdict = attempt.verdict;
  row.attempt = attempt.id;
  return row;
}

ResultBuilder::Place ResultBuilder::place_of(const FigureRow& figure) {
  Place place;
  if (plan_.by_phase) place.phase = state_.names.text(figure.phase);
  if (plan_.by_metric) place.metric = figures_.metric_text(figure.metric);
  if (plan_.by_step) place.step = figure.step;
  if (plan_.by_rank) place.rank = figure.rank;
  return place;
}

void ResultBuilder::set_place(ResultRow& row, const Place& place) {
  for (std::size_t i = 0; i < plan_.dimensions.size(); ++i) {
    const ColumnRef& column = plan_.dimensions[i].column;
    if (column == ColumnRef(Common::kPhase)) row.at[i] = coders_[i].code(Value(place.phase));
    if (column == ColumnRef(Common::kMetric)) row.at[i] = coders_[i].code(Value(place.metric));
    if (column == ColumnRef(Common::kStep)) row.at[i] = coders_[i].code(place.step);
    if (column == ColumnRef(Common::kRank)) row.at[i] = coders_[i].code(place.rank);
  }
}

void ResultBuilder::add_done(const SelectedAttempt& attempt) {
  const AttemptWork work = plan_.with_work ? work_.read(attempt.row) : AttemptWork{};
  const std::string note = note_of(attempt);
  for (FigureRow& figure : figures_.read(attempt.row)) {
    ResultRow row = row_of(attempt);
    const Place place = place_of(figure);
    if (seen_set_.insert(place).second) seen_.push_back(place);
    set_place(row, place);
    row.stats = figure.stats;
    row.samples = std::move(figure.samples);
    std::tie(row.flops, row.bytes) = work.of_phase(figure.phase);
    row.tokens = work.tokens;
    row.peak_flops_per_s = work.peak.flops_per_s;
    row.peak_bytes_per_s = work.peak.bytes_per_s;
    row.note = note;
    results_.rows.push_back(std::move(row));
  }
}

// Where the word of an attempt without figures stands: wherever the others have figures; when none
// has, in every phase that the workload can have.
std::vector<ResultBuilder::Place> ResultBuilder::places_for_words() const {
  if (!seen_.empty()) return seen_;
  std::vector<std::string> phases = plan_.phases;
  if (phases.empty()) {
    phases = plan_.def->phases;
    phases.emplace_back("step");
  }
  if (!plan_.by_phase) phases = {""};
  std::vector<std::string> metrics{""};
  if (plan_.by_metric)
    metrics = plan_.metrics.empty() ? std::vector<std::string>{"time"} : plan_.metrics;
  std::vector<Place> places;
  for (const std::string& metric : metrics) {
    for (const std::string& phase : phases) {
      places.push_back({phase, metric, std::int64_t{0}, std::int64_t{0}});
    }
  }
  return places;
}

void ResultBuilder::add_word(const SelectedAttempt& attempt, const std::vector<Place>& places) {
  const std::string note = note_of(attempt);
  for (const Place& place : places) {
    ResultRow row = row_of(attempt);
    set_place(row, place);
    row.note = note;
    results_.rows.push_back(std::move(row));
  }
}

std::string ResultBuilder::note_of(const SelectedAttempt& attempt) {
  if (attempt.pending) return "";
  std::string note;
  if (attempt.outcome != Outcome::kDone) {
    Query query(state_.connection,
                "SELECT " + ending_select("a") + " FROM attempt a WHERE a.row = ?");
    query.bind(attempt.row);
    if (query.next()) note = describe(*read_ending(query, 0));
  } else if (attempt.verdict != Verdict::kValid) {
    Query query(state_.connection,
                "SELECT reason FROM attempt_reason WHERE attempt = ? ORDER BY position");
    query.bind(attempt.row);
    while (query.next()) note += (note.empty() ? "" : "; ") + query.text(0);
  }
  return note;
}

// Ids -> names; sweeps that share a name are told apart by their ids.
std::map<std::string, std::string> ResultBuilder::sweep_names(const std::vector<Value>& ids) {
  std::map<std::string, std::string> names;
  std::map<std::string, int> uses;
  for (const Value& id : ids) {
    Query query(state_.connection, "SELECT name FROM sweep WHERE uid = ?");
    query.bind(std::get<std::string>(id));
    query.next();
    names[std::get<std::string>(id)] = query.text(0);
    ++uses[query.text(0)];
  }
  for (auto& [id, name] : names) {
    if (uses[name] > 1) name += " (" + std::string(short_id(id)) + ")";
  }
  return names;
}

void ResultBuilder::order_dimensions() {
  for (std::size_t i = 0; i < plan_.dimensions.size(); ++i) {
    const PlannedDimension& planned = plan_.dimensions[i];
    const auto* param = std::get_if<std::size_t>(&planned.column);
    const ValueType type = param != nullptr  ? plan_.def->params[*param].type
                           : planned.numeric ? ValueType::kInteger
                                             : ValueType::kText;
    // A sweep's parameters keep the order that its file gives them; what a filter lists goes first.
    const bool of_sweep = param != nullptr && plan_.sweep;
    const bool by_sweep = planned.column == ColumnRef(Common::kSweep);
    const bool filtered =
        std::any_of(plan_.filters.begin(), plan_.filters.end(),
                    [&](const PlannedFilter& f) { return f.column == planned.column; });
    const auto ordered = coders_[i].order(
        of_sweep || by_sweep ? DisplayOrder::kFirstAppearance : DisplayOrder::kTyped,
        of_sweep && !filtered ? std::vector<std::string>{} : planned.preferred, planned.last,
        [&](const Value& value) { return to_text(value, type); });
    Dimension dimension{planned.name, planned.numeric, {}};
    const auto names =
        by_sweep ? sweep_names(ordered.values) : std::map<std::string, std::string>{};
    for (const Value& value : ordered.values) {
      const std::string text = to_text(value, type);
      dimension.values.push_back(by_sweep ? names.at(text) : text);
    }
    results_.dimensions.push_back(std::move(dimension));
    for (ResultRow& row : results_.rows) row.at[i] = ordered.new_code[row.at[i]];
  }
}

ResultSet ResultBuilder::build() {
  const auto attempts = select_attempts(state_, plan_, coders_);
  for (const SelectedAttempt& attempt : attempts) {
    state_.connection.check_timer();
    if (!attempt.pending && attempt.outcome == Outcome::kDone) add_done(attempt);
  }
  const auto places = places_for_words();
  for (const SelectedAttempt& attempt : attempts) {
    state_.connection.check_timer();
    if (attempt.pending || attempt.outcome != Outcome::kDone) add_word(attempt, places);
  }
  for (std::size_t i = 0; i < plan_.metrics.size(); ++i) {
    results_.metric += (i > 0 ? ", " : "") + plan_.metrics[i];
    const std::string unit(unit_of_metric(plan_.metrics[i]));
    results_.unit = i == 0 || results_.unit == unit ? unit : "";
  }
  order_dimensions();
  return std::move(results_);
}

}  // namespace

Result<ResultSet> Reader::results(const QuerySpec& query, bool with_samples) {
  return state_->ask("query", [&]() -> Result<ResultSet> {
    const auto plan = plan_results(*state_, query);
    if (!plan) return plan.error();
    return ResultBuilder(*state_, *plan, with_samples).build();
  });
}

}  // namespace sweepd
