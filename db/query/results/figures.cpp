#include "db/query/results/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "runner/base/text.h"

namespace sweepd {
namespace {

constexpr FigureSource kFromSamples[] = {FigureSource::kSummary, FigureSource::kSample};

bool from_samples_table(FigureSource source) {
  return std::find(std::begin(kFromSamples), std::end(kFromSamples), source) !=
         std::end(kFromSamples);
}

}  // namespace

FigureReader::FigureReader(ReaderState& state, const QueryPlan& plan, bool with_samples)
    : state_(state), plan_(plan), with_samples_(with_samples) {
  make_filters();
}

std::vector<FigureRow> FigureReader::read(const SelectedAttempt& attempt) {
  switch (plan_.source) {
    case FigureSource::kSummary:
      return from_summary(attempt.row);
    case FigureSource::kSample:
      return from_samples(attempt.row);
    case FigureSource::kMemory:
      return from_memory(attempt.row);
    case FigureSource::kFigure:
      return from_figures(attempt.trial);
    case FigureSource::kFact:
      return from_facts(attempt.row);
    case FigureSource::kKernel:
      return from_kernels(attempt.row);
    case FigureSource::kOperator:
      return from_operators(attempt.row);
    case FigureSource::kAllocation:
      return from_allocations(attempt.row);
    case FigureSource::kSteadiness:
      return from_steadiness(attempt.row);
  }
  return {};
}

std::string FigureReader::metric_text(std::int64_t metric) {
  if (from_samples_table(plan_.source)) return state_.names.text(metric);
  return plan_.metrics[static_cast<std::size_t>(metric)];
}

bool FigureReader::is_without_clock(const FigureRow& figure) {
  std::string metric = metric_text(figure.metric);
  for (std::size_t k = 0; k < plan_.keys.size() && metric == "fact"; ++k) {
    const bool names = plan_.dimensions[plan_.keys[k]].column == ColumnRef(ResultColumn::kFact);
    if (names) metric += "." + state_.names.text(std::get<std::int64_t>(figure.keys[k]));
  }
  return sweepd::is_without_clock(metric) || unit_of(plan_.def->metrics, metric) == "B";
}

std::vector<FigureRow> FigureReader::from_summary(std::int64_t attempt) {
  std::vector<FigureRow> rows;
  if (!summary_) {
    summary_.emplace(state_.connection,
                     "SELECT metric, phase, n, mean, std, min, p05, median, p95, max, mad, "
                     "steadiness FROM summary WHERE attempt = ?" +
                         name_filter_);
  }
  Query& query = *summary_;
  query.rewind();
  query.bind(attempt);
  while (query.next()) {
    FigureRow row;
    row.metric = query.integer(0);
    row.phase = query.integer(1);
    row.stats = {query.integer(2), query.real(3), query.real(4), query.real(5), query.real(6),
                 query.real(7),    query.real(8), query.real(9), query.real(10)};
    row.steadiness = query.text(11);
    rows.push_back(std::move(row));
  }
  if (with_samples_) add_samples(attempt, rows);
  return rows;
}

// `{text}` shows the word, as it shows the formula of a figure.
std::vector<FigureRow> FigureReader::from_steadiness(std::int64_t attempt) {
  if (!stored_) {
    stored_.emplace(state_.connection,
                    fmt::format("SELECT phase, {}, steadiness FROM summary WHERE attempt = ? AND "
                                "metric = (SELECT id FROM name WHERE text = 'time') AND "
                                "steady_from IS NOT NULL{}",
                                metric_columns(), name_filter_));
  }
  Query& query = *stored_;
  query.rewind();
  query.bind(attempt);
  std::vector<FigureRow> rows;
  while (query.next()) {
    const double step = query.real(1);
    FigureRow row;
    row.phase = query.integer(0);
    row.steadiness = query.text(2);
    if (plan_.with_text) row.text = row.steadiness;
    row.stats = summarize(std::span(&step, 1));
    if (with_samples_) row.samples = {step};
    rows.push_back(std::move(row));
  }
  return rows;
}

// Adds the measured values behind each summary, step by step, as summarize_samples used them.
void FigureReader::add_samples(std::int64_t attempt, std::vector<FigureRow>& rows) {
  for (FigureRow& row : rows) {
    const bool adds_up = metric_text(row.metric) == kEnergy;
    Query query(state_.connection,
                fmt::format("SELECT {}(value) FROM sample WHERE attempt = ? AND metric = ? AND "
                            "phase = ? AND warmup = 0 GROUP BY step ORDER BY step",
                            adds_up ? "sum" : "max"));
    query.bind_all(attempt, row.metric, row.phase);
    while (query.next()) row.samples.push_back(query.real(0));
  }
}

std::map<std::int64_t, std::int64_t> FigureReader::slowest_ranks(std::int64_t attempt) {
  Query query(state_.connection,
              "SELECT step, rank FROM sample WHERE attempt = ? AND metric = (SELECT id FROM name "
              "WHERE text = 'time') AND phase = (SELECT id FROM name WHERE text = 'step') "
              "ORDER BY step, value DESC, rank");
  query.bind(attempt);
  std::map<std::int64_t, std::int64_t> ranks;
  // The slowest rank comes first in each step, and try_emplace keeps the first.
  while (query.next()) ranks.try_emplace(query.integer(0), query.integer(1));
  return ranks;
}

std::vector<FigureRow> FigureReader::from_samples(std::int64_t attempt) {
  // The key consists of the dimensions. Within a key each step has one value: that of the last
  // rank to finish.
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  std::map<Key, std::map<std::int64_t, double>> groups;
  Query query(state_.connection,
              "SELECT metric, phase, rank, step, value FROM sample WHERE attempt = ?" +
                  name_filter_ + place_filter_ + (plan_.warmup ? "" : " AND warmup = 0"));
  query.bind(attempt);
  std::map<std::int64_t, std::int64_t> slowest;
  if (plan_.slowest_rank) slowest = slowest_ranks(attempt);
  while (query.next()) {
    const std::int64_t rank = query.integer(2);
    const std::int64_t step = query.integer(3);
    if (plan_.slowest_rank && slowest[step] != rank) continue;
    const Key key{query.integer(0), query.integer(1), plan_.by_step ? step : 0,
                  plan_.by_rank ? rank : 0};
    const double value = query.real(4);
    const auto [slot, first] = groups[key].try_emplace(step, value);
    if (first) continue;
    const bool adds_up = metric_text(query.integer(0)) == kEnergy;
    slot->second = adds_up ? slot->second + value : std::max(slot->second, value);
  }
  std::vector<FigureRow> rows;
  for (const auto& [key, by_step] : groups) {
    FigureRow row;
    std::tie(row.metric, row.phase, row.step, row.rank) = key;
    for (const auto& [step, value] : by_step) row.samples.push_back(value);
    row.stats = summarize_metric(metric_text(row.metric), row.samples);
    if (!with_samples_) row.samples.clear();
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<FigureRow> FigureReader::from_memory(std::int64_t attempt) {
  if (!stored_) {
    stored_.emplace(
        state_.connection,
        fmt::format("SELECT phase, {}, {} FROM memory WHERE attempt = ?{}{} "
                    "GROUP BY 1, 2",
                    plan_.by_rank ? "rank" : "0", metric_columns(), name_filter_, place_filter_));
  }
  Query& query = *stored_;
  query.rewind();
  query.bind(attempt);
  std::vector<FigureRow> rows;
  while (query.next()) {
    for (std::size_t m = 0; m < plan_.metrics.size(); ++m) {
      const int column = static_cast<int>(m) + 2;
      if (query.is_null(column)) continue;
      const double value = query.real(column);
      FigureRow row;
      row.phase = query.integer(0);
      row.rank = query.integer(1);
      row.metric = static_cast<std::int64_t>(m);
      row.stats = summarize(std::span(&value, 1));
      if (with_samples_) row.samples = {value};
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace sweepd
