#include "db/query/results/result_builder.h"

#include <algorithm>

#include "db/base/ending_columns.h"
#include "db/query/details/memory_details.h"
#include "db/query/partial_steps_reader.h"
#include "db/query/planning/shown_metrics.h"
#include "runner/base/text.h"
#include "runner/model/vocabulary/result_column.h"

namespace sweepd {
namespace {

ResultRow row_of(const SelectedAttempt& attempt) {
  ResultRow row;
  row.at = attempt.at;
  row.outcome = attempt.outcome;
  row.pending = attempt.pending;
  row.verdict = attempt.verdict;
  row.attempt = attempt.id;
  row.started = attempt.started;
  row.trial = attempt.key;
  return row;
}

bool is_done(const SelectedAttempt& attempt) {
  return !attempt.pending && attempt.outcome == Outcome::kDone;
}

// Whether there are figures to read. Analytic figures exist for failed trials too.
bool has_figures(const QueryPlan& plan, const SelectedAttempt& attempt) {
  return plan.source == FigureSource::kFigure || is_done(attempt);
}

// Whether the figures are times of steps, alone or among others.
bool shows_times(const QueryPlan& plan) {
  if (plan.source != FigureSource::kSummary && plan.source != FigureSource::kSample) return false;
  const auto& metrics = plan.metrics;
  return metrics.empty() || std::find(metrics.begin(), metrics.end(), "time") != metrics.end();
}

// Maps ids to names. Sweeps that share a name are shown by their ids.
std::vector<std::string> sweep_names(Connection& connection, const std::vector<Value>& ids) {
  std::vector<std::string> names;
  std::map<std::string, int> uses;
  for (const Value& id : ids) {
    Query query(connection, "SELECT name FROM sweep WHERE uid = ?");
    query.bind(std::get<std::string>(id));
    query.next();
    names.push_back(query.text(0));
    ++uses[names.back()];
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (uses[names[i]] == 1) continue;
    names[i] += " (" + std::string(short_id(std::get<std::string>(ids[i]))) + ")";
  }
  return names;
}

}  // namespace

ResultBuilder::ResultBuilder(ReaderState& state, const QueryPlan& plan, bool with_samples)
    : state_(state),
      plan_(plan),
      figures_(state, plan, with_samples),
      work_(state),
      code_of_name_(plan.keys.size()) {}

ResultSet ResultBuilder::build(const std::vector<SelectedAttempt>& attempts,
                               const std::vector<DimensionCoder>& coders,
                               std::vector<ResultRow> pooled) {
  any_figure_ = !pooled.empty();
  results_.rows = std::move(pooled);
  coders_ = coders;
  if (plan_.any_pass) {
    add_by_trial(attempts);
  } else {
    for (const SelectedAttempt& attempt : attempts) {
      if (has_figures(plan_, attempt)) add_figures(attempt, figures_.read(attempt));
    }
    for (const SelectedAttempt& attempt : attempts) {
      // Words come last: where they appear depends on whether any row has figures.
      if (!has_figures(plan_, attempt)) add_words(attempt);
    }
  }
  order_dimensions();
  name_metric();
  results_.unknown = plan_.unknown;
  return std::move(results_);
}

// Sets one unit for all metrics, or none.
void ResultBuilder::name_metric() {
  std::vector<std::string> metrics = plan_.metrics;
  for (const Dimension& dimension : results_.dimensions) {
    if (metrics.empty() && dimension.name == "metric") metrics = dimension.values;
  }
  results_.metric = join(metrics, ", ");
  results_.declared = plan_.def->metrics;
  results_.shown = shown_metrics(state_, plan_, metrics);
  if (metrics.size() == 1) results_.better = better_of(plan_.def->metrics, metrics.front());
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const std::string unit = unit_of(plan_.def->metrics, metrics[i]);
    results_.unit = i == 0 || results_.unit == unit ? unit : "";
    if (results_.unit.empty()) return;
  }
}

void ResultBuilder::place(ResultRow& row, const FigureRow& figure) {
  for (std::size_t i = 0; i < plan_.dimensions.size(); ++i) {
    const auto* column = std::get_if<ResultColumn>(&plan_.dimensions[i].column);
    if (column == nullptr) continue;
    if (*column == ResultColumn::kPhase && has_column(plan_.source, ResultColumn::kPhase)) {
      row.at[i] = coders_[i].code(Value(state_.names.text(figure.phase)));
    } else if (*column == ResultColumn::kMetric) {
      row.at[i] = coders_[i].code(Value(figures_.metric_text(figure.metric)));
    } else if (!has_column(plan_.source, *column)) {
      continue;  // holds for every value of the dimension
    } else if (*column == ResultColumn::kStep) {
      row.at[i] = coders_[i].code(Value(figure.step));
    } else if (*column == ResultColumn::kRank) {
      row.at[i] = coders_[i].code(Value(figure.rank));
    }
  }
  for (std::size_t k = 0; k < plan_.keys.size(); ++k) {
    const std::size_t i = plan_.keys[k];
    const Value& value = figure.keys[k];
    const auto* id = std::get_if<std::int64_t>(&value);
    if (id == nullptr || is_integer(std::get<ResultColumn>(plan_.dimensions[i].column))) {
      row.at[i] = coders_[i].code(value);
      continue;
    }
    const auto [known, added] = code_of_name_[k].try_emplace(*id, 0);
    if (added) {
      std::string text = state_.names.text(*id);
      // Blocks of all layers are one row unless each block is one.
      const bool folds = plan_.dimensions[i].column == ColumnRef(ResultColumn::kOrigin) &&
                         !plan_.has_dimension(ResultColumn::kAllocation);
      if (folds) text = fold_layers(text);
      known->second = coders_[i].code(Value(std::move(text)));
    }
    row.at[i] = known->second;
    if (plan_.sweep) continue;
    const auto [stated, first] = stated_.try_emplace(state_.names.text(*id), figure.position);
    if (!first) stated->second = std::min(stated->second, figure.position);
  }
}

std::vector<std::string> ResultBuilder::stated_order() const {
  std::vector<std::pair<std::int64_t, std::string>> places;
  for (const auto& [name, position] : stated_) places.emplace_back(position, name);
  std::sort(places.begin(), places.end());
  std::vector<std::string> names;
  for (auto& [position, name] : places) names.push_back(std::move(name));
  return names;
}

// Adds one row of figures per trial (measured figures: per trial, round and host), from any pass,
// and a word only if no pass did.
void ResultBuilder::add_by_trial(const std::vector<SelectedAttempt>& attempts) {
  using Round = std::tuple<std::int64_t, std::int64_t, std::vector<std::uint32_t>>;
  const bool measured = plan_.source == FigureSource::kFact;
  for (std::size_t begin = 0, end = 0; begin < attempts.size(); begin = end) {
    std::map<Round, std::vector<const SelectedAttempt*>> rounds;
    for (; end < attempts.size() && attempts[end].trial == attempts[begin].trial; ++end) {
      const SelectedAttempt& attempt = attempts[end];
      rounds[{measured ? attempt.repeat : 0, measured ? attempt.host : 0, attempt.at}].push_back(
          &attempt);
    }
    for (auto& [round, members] : rounds) {
      std::stable_sort(members.begin(), members.end(), [](const auto* a, const auto* b) {
        return a->pass < b->pass;
      });  // timing first
      add_of_trial(members);
    }
  }
}

void ResultBuilder::add_of_trial(const std::vector<const SelectedAttempt*>& attempts) {
  for (const SelectedAttempt* attempt : attempts) {
    if (!has_figures(plan_, *attempt)) continue;
    auto figures = figures_.read(*attempt);
    if (!figures.empty()) return add_figures(*attempt, std::move(figures));
  }
  const SelectedAttempt& first = *attempts.front();
  if (is_done(first)) {
    add_figures(first, {});
  } else {
    add_words(first);
  }
}

void ResultBuilder::add_figures(const SelectedAttempt& attempt, std::vector<FigureRow> figures) {
  const AttemptWork work = plan_.with_work ? work_.read(attempt.row) : AttemptWork{};
  ResultRow row = row_of(attempt);
  row.note = note_of(attempt);
  row.times_only = row.verdict == Verdict::kSuspect && disturbs_times_only(row.note);
  row.tokens = work.tokens;
  row.peak_flops_per_s = work.peak.flops_per_s;
  row.peak_bytes_per_s = work.peak.bytes_per_s;
  row.no_flops_peak = work.no_flops_peak;
  row.no_bytes_peak = work.no_bytes_peak;
  // A done attempt without this metric or phase still gets a row, with n = 0.
  if (figures.empty()) results_.rows.push_back(row);
  for (FigureRow& figure : figures) {
    any_figure_ = true;
    place(row, figure);
    row.verdict =
        row.times_only && figures_.is_without_clock(figure) ? Verdict::kValid : attempt.verdict;
    row.stats = figure.stats;
    row.text = std::move(figure.text);
    row.unsteady.clear();
    add_unsteady(row.unsteady, figure.steadiness);
    const PhaseWork phase = work.of_phase(figure.phase);
    row.flops = phase.flops;
    row.bytes = phase.bytes;
    row.recomputed_flops = phase.recomputed_flops;
    results_.rows.push_back(row);
    results_.rows.back().samples = std::move(figure.samples);
  }
}

// kEveryValue shows the word wherever the other rows have figures. If no row has figures, the
// columns are the phases that the workload can have.
void ResultBuilder::add_words(const SelectedAttempt& attempt) {
  ResultRow row = row_of(attempt);
  row.note = note_of(attempt);
  if (shows_times(plan_) && !attempt.pending) {
    if (!partial_steps_) partial_steps_.emplace(state_);
    row.partial = partial_steps_->read(attempt.row);
  }
  const auto is_phase = [](const PlannedDimension& d) {
    return d.column == ColumnRef(ResultColumn::kPhase);
  };
  const auto phase = std::find_if(plan_.dimensions.begin(), plan_.dimensions.end(), is_phase);
  const bool by_phase =
      phase != plan_.dimensions.end() && has_column(plan_.source, ResultColumn::kPhase);
  if (any_figure_ || !by_phase) {
    results_.rows.push_back(std::move(row));
    return;
  }
  std::vector<std::string> phases = plan_.phases;
  if (phases.empty()) {
    phases = plan_.def->phases;
    phases.emplace_back("step");
  }
  const auto i = static_cast<std::size_t>(phase - plan_.dimensions.begin());
  for (const std::string& name : phases) {
    row.at[i] = coders_[i].code(Value(name));
    results_.rows.push_back(row);
  }
}

std::string ResultBuilder::note_of(const SelectedAttempt& attempt) {
  if (attempt.pending) return "";
  std::string note;
  if (!is_done(attempt)) {
    Query query(state_.connection,
                "SELECT " + ending_select("a") + " FROM attempt a WHERE a.row = ?");
    query.bind(attempt.row);
    if (query.next()) note = describe(*read_ending(query, 0));
  } else if (attempt.verdict != Verdict::kValid) {
    Query query(state_.connection,
                "SELECT reason FROM attempt_reason WHERE attempt = ? ORDER BY position");
    query.bind(attempt.row);
    while (query.next()) note += (note.empty() ? "" : "\n") + query.text(0);
  }
  return note;
}

// A sweep's parameters keep the order of its file, unless a filter lists the values.
DimensionCoder::Ordered ResultBuilder::order_of(std::size_t dimension) const {
  const PlannedDimension& planned = plan_.dimensions[dimension];
  const bool filtered =
      std::any_of(plan_.filters.begin(), plan_.filters.end(),
                  [&](const PlannedFilter& f) { return f.column == planned.column; });
  const auto* param = std::get_if<std::size_t>(&planned.column);
  if (param == nullptr) {
    // Facts and figures come in the order in which the workload states them: input before output.
    const bool stated = planned.column == ColumnRef(ResultColumn::kFact) ||
                        planned.column == ColumnRef(ResultColumn::kFigure);
    const bool as_met = stated || planned.column == ColumnRef(ResultColumn::kSweep);
    // The phases of benchmarks have their sizes in their names.
    const bool counted = planned.column == ColumnRef(ResultColumn::kPhase);
    return coders_[dimension].order(
        as_met    ? DisplayOrder::kFirstAppearance
        : counted ? DisplayOrder::kCounted
                  : DisplayOrder::kTyped,
        stated && !plan_.sweep && !filtered ? stated_order() : planned.preferred, planned.last,
        [&](const Value& value) {
          return to_text(value, planned.numeric ? ValueType::kInteger : ValueType::kText);
        });
  }
  const ParamDef& def = plan_.def->params[*param];
  const auto text_of = [&](const Value& value) { return def.text(value); };
  if (plan_.sweep) {
    return coders_[dimension].order(DisplayOrder::kFirstAppearance,
                                    filtered ? planned.preferred : std::vector<std::string>{}, "",
                                    text_of);
  }
  return coders_[dimension].order(DisplayOrder::kTyped, planned.preferred, "", text_of);
}

std::vector<std::string> ResultBuilder::texts_of(std::size_t dimension,
                                                 const std::vector<Value>& values) {
  const PlannedDimension& planned = plan_.dimensions[dimension];
  if (planned.column == ColumnRef(ResultColumn::kSweep))
    return sweep_names(state_.connection, values);
  const auto* param = std::get_if<std::size_t>(&planned.column);
  std::vector<std::string> texts;
  for (const Value& value : values) {
    if (param != nullptr) {
      texts.push_back(plan_.def->params[*param].text(value));
    } else {
      texts.push_back(to_text(value, planned.numeric ? ValueType::kInteger : ValueType::kText));
    }
  }
  return texts;
}

void ResultBuilder::order_dimensions() {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < plan_.dimensions.size(); ++i) {
    const auto ordered = order_of(i);
    // A dimension that only distinguishes pooled trials is dropped if it has one value.
    if (i >= plan_.named_dimensions && ordered.values.size() < 2) continue;
    kept.push_back(i);
    results_.dimensions.push_back(
        {plan_.dimensions[i].name, plan_.dimensions[i].numeric, texts_of(i, ordered.values)});
    for (ResultRow& row : results_.rows) {
      if (row.at[i] != kEveryValue) row.at[i] = ordered.new_code[row.at[i]];
    }
  }
  if (kept.size() == plan_.dimensions.size()) return;
  for (ResultRow& row : results_.rows) {
    std::vector<std::uint32_t> at;
    for (const std::size_t i : kept) at.push_back(row.at[i]);
    row.at = std::move(at);
  }
}

}  // namespace sweepd
