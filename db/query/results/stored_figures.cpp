// Reads figures that are neither samples nor in the memory table: analytic ones, facts, kernels,
// blocks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "db/query/details/memory_details.h"
#include "db/query/results/figures.h"
#include "runner/base/text.h"
#include "runner/model/vocabulary/known_metric.h"
#include "runner/model/vocabulary/result_column.h"

namespace sweepd {

namespace {

// Returns " AND phase IN (3, 7)". A name that was never stored matches nothing.
std::string in_names(Names& names, const std::string& column,
                     const std::vector<std::string>& texts) {
  if (texts.empty()) return "";
  std::vector<std::string> ids;
  for (const std::string& text : texts) {
    if (const auto id = names.find(text)) ids.push_back(std::to_string(*id));
  }
  return fmt::format(" AND {} IN ({})", column, join(ids, ", "));
}

std::vector<std::string> texts_of(const PlannedFilter* filter) {
  std::vector<std::string> texts;
  if (filter == nullptr) return texts;
  for (const Value& value : filter->values) texts.push_back(std::get<std::string>(value));
  return texts;
}

std::string in_integers(const QueryPlan& plan, ResultColumn column, const std::string& name) {
  const PlannedFilter* filter = plan.filter(column);
  const bool slowest = column == ResultColumn::kRank && plan.slowest_rank;
  if (filter == nullptr || slowest) return "";
  std::vector<std::string> numbers;
  for (const Value& value : filter->values) {
    numbers.push_back(std::to_string(std::get<std::int64_t>(value)));
  }
  return fmt::format(" AND {} IN ({})", name, join(numbers, ", "));
}

std::string in_texts(const QueryPlan& plan, ResultColumn column, const std::string& expression) {
  const PlannedFilter* filter = plan.filter(column);
  if (filter == nullptr) return "";
  std::vector<std::string> literals;
  for (const Value& value : filter->values) literals.push_back(sql_literal(value));
  return fmt::format(" AND {} IN ({})", expression, join(literals, ", "));
}

std::string kernel_filters(Names& names, const QueryPlan& plan) {
  std::string filters = in_names(names, "class", texts_of(plan.filter(ResultColumn::kClass))) +
                        in_names(names, "range", texts_of(plan.filter(ResultColumn::kRange))) +
                        in_texts(plan, ResultColumn::kGrid, launch_shape("grid")) +
                        in_texts(plan, ResultColumn::kBlock, launch_shape("block"));
  if (const PlannedFilter* kernel = plan.filter(ResultColumn::kKernel)) {
    // Matches the short name that tables show, or the full one.
    const std::string in_short = in_names(names, "short_name", texts_of(kernel)).substr(5);
    const std::string in_full = in_names(names, "kernel", texts_of(kernel)).substr(5);
    filters += fmt::format(" AND ({} OR {})", in_short, in_full);
  }
  return filters;
}

// Results from before positions were stored all have 0. Their texts are the same in every database,
// as the ids of names are not.
std::string text_of_name(const std::string& table) {
  return fmt::format("(SELECT n.text FROM name n WHERE n.id = {}.name)", table);
}

Stats single(double value) {
  return summarize(std::span(&value, 1));
}

}  // namespace

void FigureReader::make_filters() {
  const bool of_samples =
      plan_.source == FigureSource::kSummary || plan_.source == FigureSource::kSample;
  if (of_samples) name_filter_ = in_names(state_.names, "metric", plan_.metrics);
  const bool by_name = plan_.source == FigureSource::kFigure || plan_.source == FigureSource::kFact;
  phase_filter_ = in_names(state_.names, "phase", plan_.phases);
  if (!by_name) name_filter_ += phase_filter_;
  if (plan_.source == FigureSource::kFigure) {
    name_filter_ += in_names(state_.names, "name", texts_of(plan_.filter(ResultColumn::kFigure)));
  } else {
    place_filter_ = in_integers(plan_, ResultColumn::kRank, "rank");
  }
  if (plan_.source == FigureSource::kSample)
    place_filter_ += in_integers(plan_, ResultColumn::kStep, "step");
  if (plan_.source == FigureSource::kFact) {
    name_filter_ += in_names(state_.names, "name", texts_of(plan_.filter(ResultColumn::kFact)));
  } else if (plan_.source == FigureSource::kKernel) {
    name_filter_ += kernel_filters(state_.names, plan_);
  } else if (plan_.source == FigureSource::kOperator) {
    name_filter_ +=
        in_names(state_.names, "operator", texts_of(plan_.filter(ResultColumn::kOperator))) +
        in_names(state_.names, "range", texts_of(plan_.filter(ResultColumn::kRange)));
  } else if (plan_.source == FigureSource::kAllocation) {
    name_filter_ += in_names(state_.names, "range", texts_of(plan_.filter(ResultColumn::kRange))) +
                    in_names(state_.names, "origin", texts_of(plan_.filter(ResultColumn::kOrigin)));
  }
  // Every rank runs the same kernels and holds the same blocks, so one rank represents all.
  const bool of_one_rank = plan_.source == FigureSource::kKernel ||
                           plan_.source == FigureSource::kOperator ||
                           plan_.source == FigureSource::kAllocation;
  if (of_one_rank && !plan_.by_rank && place_filter_.empty()) place_filter_ = " AND rank = 0";
  if (!by_name) return;
  std::vector<std::string> names;
  for (const std::string& metric : plan_.metrics) {
    const std::string name(name_within(metric));
    metric_names_.push_back(name.empty() ? 0 : state_.names.find(name).value_or(-1));
    if (!name.empty()) names.push_back(name);
  }
  if (names.size() == plan_.metrics.size()) name_filter_ += in_names(state_.names, "name", names);
}

std::string FigureReader::metric_columns() const {
  std::vector<std::string> columns;
  for (const std::string& metric : plan_.metrics)
    columns.push_back(sql_of_metric(*find_known_metric(metric)));
  return join(columns, ", ");
}

// Returns the rows of one named value: one for the metric that names it, and one for the metric
// that asks for all.
std::vector<FigureRow> FigureReader::named(std::int64_t name, std::int64_t rank, double value) {
  std::vector<FigureRow> rows;
  for (std::size_t m = 0; m < metric_names_.size(); ++m) {
    if (metric_names_[m] != 0 && metric_names_[m] != name) continue;
    FigureRow row;
    row.metric = static_cast<std::int64_t>(m);
    row.rank = rank;
    row.keys.assign(plan_.keys.size(), Value(name));
    row.stats = single(value);
    if (with_samples_) row.samples = {value};
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<FigureRow> FigureReader::from_figures(std::int64_t trial) {
  if (!stored_) {
    stored_.emplace(state_.connection,
                    fmt::format("SELECT name, value, formula, position FROM figure WHERE trial = "
                                "?{} ORDER BY position, {}",
                                name_filter_, text_of_name("figure")));
  }
  Query& query = *stored_;
  query.rewind();
  query.bind(trial);
  std::vector<FigureRow> rows;
  while (query.next()) {
    auto more = named(query.integer(0), 0, query.real(1));
    for (FigureRow& row : more) {
      if (plan_.with_text) row.text = state_.names.text(query.integer(2));
      row.position = query.integer(3);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

// If the query does not name `rank`, the value of the lowest rank that reported one is used.
std::vector<FigureRow> FigureReader::from_facts(std::int64_t attempt) {
  if (!stored_) {
    stored_.emplace(state_.connection,
                    fmt::format("SELECT name, {}, number, text, position FROM fact WHERE attempt "
                                "= ?{}{}{} ORDER BY {}position, {}",
                                plan_.by_rank ? "rank" : "min(rank)", name_filter_, place_filter_,
                                plan_.by_rank ? "" : " GROUP BY name",
                                plan_.by_rank ? "rank, " : "", text_of_name("fact")));
  }
  Query& query = *stored_;
  query.rewind();
  query.bind(attempt);
  std::vector<FigureRow> rows;
  while (query.next()) {
    auto more = named(query.integer(0), query.integer(1), query.real(2));
    for (FigureRow& row : more) {
      row.position = query.integer(4);
      if (query.is_null(2)) {  // a text has no statistics
        row.text = query.text(3);
        row.stats = {};
        row.samples.clear();
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

// Blocks that differ in the number of their layer alone have one origin, unless each block is a
// row: the first of theirs that was seen.
std::int64_t FigureReader::origin_of_all_layers(std::int64_t origin) {
  if (plan_.has_dimension(ResultColumn::kAllocation)) return origin;
  const auto [known, added] = origins_.try_emplace(origin, origin);
  if (added) {
    const std::string folded = fold_layers(state_.names.text(origin));
    known->second = first_origins_.try_emplace(folded, origin).first->second;
  }
  return known->second;
}

// Each block is a separate value, so that a cell can show the largest, the sum or the count.
std::vector<FigureRow> FigureReader::from_allocations(std::int64_t attempt) {
  if (!stored_) {
    stored_.emplace(state_.connection,
                    fmt::format("SELECT phase, rank, range, origin, size_bytes FROM allocation "
                                "WHERE attempt = ?{}{} ORDER BY rank, size_bytes DESC, sequence",
                                name_filter_, place_filter_));
  }
  std::vector<std::int64_t> wanted;
  if (const PlannedFilter* filter = plan_.filter(ResultColumn::kAllocation)) {
    for (const Value& value : filter->values) wanted.push_back(std::get<std::int64_t>(value));
  }
  std::map<std::pair<std::pair<std::int64_t, std::int64_t>, std::vector<Value>>,
           std::vector<double>>
      groups;
  Query& query = *stored_;
  query.rewind();
  query.bind(attempt);
  std::int64_t place = 0, last_rank = -1;
  while (query.next()) {
    const std::int64_t rank = query.integer(1);
    place = rank == last_rank ? place + 1 : 1;
    last_rank = rank;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), place) == wanted.end()) continue;
    std::vector<Value> keys;
    for (const std::size_t i : plan_.keys) {
      const ResultColumn column = std::get<ResultColumn>(plan_.dimensions[i].column);
      keys.emplace_back(column == ResultColumn::kAllocation ? place
                        : column == ResultColumn::kRange    ? query.integer(2)
                                                         : origin_of_all_layers(query.integer(3)));
    }
    groups[{{plan_.by_phase ? query.integer(0) : 0, plan_.by_rank ? rank : 0}, keys}].push_back(
        query.real(4));
  }
  std::vector<FigureRow> rows;
  for (auto& [key, sizes] : groups) {
    FigureRow row;
    std::tie(row.phase, row.rank) = key.first;
    row.keys = key.second;
    row.stats = summarize(sizes);
    if (with_samples_) row.samples = std::move(sizes);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace sweepd
