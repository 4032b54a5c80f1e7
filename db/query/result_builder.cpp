#include "db/query/result_builder.h"

#include <algorithm>
#include <tuple>

#include "db/ending_columns.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

ResultRow row_of(const SelectedAttempt& attempt) {
  ResultRow row;
  row.at = attempt.at;
  row.outcome = attempt.outcome;
  row.pending = attempt.pending;
  row.verdict = attempt.verdict;
  row.attempt = attempt.id;
  row.trial = attempt.key;
  return row;
}

bool is_done(const SelectedAttempt& attempt) {
  return !attempt.pending && attempt.outcome == Outcome::kDone;
}

// Ids -> names; sweeps that share a name are told apart by their ids.
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

ResultBuilder::ResultBuilder(ReaderState& state, const ResultPlan& plan, bool with_samples)
    : state_(state), plan_(plan), figures_(state, plan, with_samples), work_(state) {}

ResultSet ResultBuilder::build(const std::vector<SelectedAttempt>& attempts,
                               const std::vector<DimensionCoder>& coders) {
  coders_ = coders;
  for (const SelectedAttempt& attempt : attempts) {
    if (is_done(attempt)) add_figures(attempt);
  }
  for (const SelectedAttempt& attempt : attempts) {
    if (!is_done(attempt)) add_words(attempt);
  }
  order_dimensions();
  name_metric();
  return std::move(results_);
}

// One unit for all metrics, or none.
void ResultBuilder::name_metric() {
  std::vector<std::string> metrics = plan_.metrics;
  for (const Dimension& dimension : results_.dimensions) {
    if (metrics.empty() && dimension.name == "metric") metrics = dimension.values;
  }
  results_.metric = join(metrics, ", ");
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const std::string unit(unit_of_metric(metrics[i]));
    results_.unit = i == 0 || results_.unit == unit ? unit : "";
    if (results_.unit.empty()) return;
  }
}

void ResultBuilder::place(ResultRow& row, const FigureRow& figure) {
  for (std::size_t i = 0; i < plan_.dimensions.size(); ++i) {
    const auto* column = std::get_if<Common>(&plan_.dimensions[i].column);
    if (column == nullptr) continue;
    if (*column == Common::kPhase) {
      row.at[i] = coders_[i].code(Value(state_.names.text(figure.phase)));
    } else if (*column == Common::kMetric) {
      row.at[i] = coders_[i].code(Value(figures_.metric_text(figure.metric)));
    } else if (*column == Common::kStep) {
      row.at[i] = coders_[i].code(Value(figure.step));
    } else if (*column == Common::kRank) {
      row.at[i] = coders_[i].code(Value(figure.rank));
    }
  }
}

void ResultBuilder::add_figures(const SelectedAttempt& attempt) {
  const AttemptWork work = plan_.with_work ? work_.read(attempt.row) : AttemptWork{};
  ResultRow row = row_of(attempt);
  row.note = note_of(attempt);
  row.tokens = work.tokens;
  row.peak_flops_per_s = work.peak.flops_per_s;
  row.peak_bytes_per_s = work.peak.bytes_per_s;
  auto figures = figures_.read(attempt.row);
  // Done, but this metric or phase was not measured: a row all the same, with n = 0.
  if (figures.empty()) results_.rows.push_back(row);
  for (FigureRow& figure : figures) {
    any_figure_ = true;
    place(row, figure);
    row.stats = figure.stats;
    std::tie(row.flops, row.bytes) = work.of_phase(figure.phase);
    results_.rows.push_back(row);
    results_.rows.back().samples = std::move(figure.samples);
  }
}

// kEveryValue puts the word wherever the others have figures. When none has, the columns must come
// from somewhere: every phase that the workload can have.
void ResultBuilder::add_words(const SelectedAttempt& attempt) {
  ResultRow row = row_of(attempt);
  row.note = note_of(attempt);
  const auto is_phase = [](const PlannedDimension& d) {
    return d.column == ColumnRef(Common::kPhase);
  };
  const auto phase = std::find_if(plan_.dimensions.begin(), plan_.dimensions.end(), is_phase);
  if (any_figure_ || phase == plan_.dimensions.end()) {
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
    while (query.next()) note += (note.empty() ? "" : "; ") + query.text(0);
  }
  return note;
}

// A sweep's parameters keep the order in which its file brings them; a list in a filter beats that.
DimensionCoder::Ordered ResultBuilder::order_of(std::size_t dimension) const {
  const PlannedDimension& planned = plan_.dimensions[dimension];
  const bool filtered =
      std::any_of(plan_.filters.begin(), plan_.filters.end(),
                  [&](const PlannedFilter& f) { return f.column == planned.column; });
  const auto* param = std::get_if<std::size_t>(&planned.column);
  if (param == nullptr) {
    const bool by_sweep = planned.column == ColumnRef(Common::kSweep);
    return coders_[dimension].order(
        by_sweep ? DisplayOrder::kFirstAppearance : DisplayOrder::kTyped, planned.preferred,
        planned.last, [&](const Value& value) {
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
  if (planned.column == ColumnRef(Common::kSweep)) return sweep_names(state_.connection, values);
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
