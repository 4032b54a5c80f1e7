#include "db/query/results/pooled_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "runner/model/vocabulary/result_column.h"

namespace sweepd {
namespace {

// Columns of attempt_rows that a plan with a sweep has before the dimensions.
constexpr int kRepeatColumn = 4, kMayBeReplacedColumn = 5;

}  // namespace

Value CodedColumn::value(std::uint32_t code) const {
  switch (type_) {
    case ValueType::kText:
    case ValueType::kChoice:
      return texts_[code];
    case ValueType::kReal:
      return reals_[code];
    case ValueType::kBoolean:
      return integers_[code] != 0;
    default:
      return integers_[code];
  }
}

CodedColumn::Ordered CodedColumn::ordered() const {
  std::vector<std::uint32_t> codes;
  for (std::uint32_t code = 0; code < positions_.size(); ++code) {
    if (positions_[code] != kNowhere) codes.push_back(code);
  }
  std::stable_sort(codes.begin(), codes.end(), [this](std::uint32_t a, std::uint32_t b) {
    return positions_[a] < positions_[b];
  });
  Ordered all;
  all.new_code.resize(positions_.size());
  for (const std::uint32_t code : codes) all.new_code[code] = all.coder.code(value(code));
  return all;
}

PooledReader::PooledReader(ReaderState& state, const QueryPlan& plan) : state_(state), plan_(plan) {
  for (std::size_t i = 0; i < plan.dimensions.size(); ++i) {
    const ColumnRef& column = plan.dimensions[i].column;
    const Level level = level_of(plan, column);
    if (i >= plan.named_dimensions) {
      other_columns_.emplace_back(i, type_of(plan, column));
    } else if (level == Level::kTrial) {
      trial_columns_.emplace_back(i, type_of(plan, column));
    } else if (level == Level::kAttempt) {
      attempt_columns_.emplace_back(i, type_of(plan, column));
    }
  }
}

std::optional<PooledScan> PooledReader::read(std::vector<DimensionCoder>& coders) {
  const auto metric = state_.names.find(plan_.metrics.front());
  if (metric) phases_ = phases(*metric);
  if (phases_.size() > kMaxPhases) return std::nullopt;
  read_trials();
  read_attempts();
  for (std::size_t i = 0; i < phases_.size(); ++i) read_summaries(*metric, i);
  PooledScan out;
  out.singles = singles();
  find_differences(out.singles);
  note_values();
  order_values(out, coders);
  for (Cell& cell : cells_) out.pooled.push_back(row_of(cell, coders));
  return out;
}

std::vector<SelectedAttempt> PooledReader::singles() const {
  std::vector<SelectedAttempt> all;
  for (std::size_t i = 0; i < attempts_.size(); ++i) {
    const AttemptAt& attempt = attempts_[i];
    if (attempt.trusted && attempt.phases != 0) continue;
    SelectedAttempt single;
    single.row = attempt.row;
    single.trial = trials_[attempt.trial].id;
    single.at = codes_of(i);
    all.push_back(std::move(single));
  }
  std::sort(all.begin(), all.end(),
            [](const SelectedAttempt& a, const SelectedAttempt& b) { return a.row < b.row; });
  return all;
}

void PooledReader::read_trials() {
  const int first = plan_.sweep ? 3 : 1;
  state_.rows.each(trial_rows(plan_), [&](const RowValues& row) {
    TrialAt trial;
    trial.id = trial.position = row.integer(0);
    if (plan_.sweep) {
      trial.position = row.integer(1);
      trial.repeats = row.integer(2);
    }
    int column = first;
    for (CodedColumn& values : trial_columns_) {
      const std::uint32_t code = values.code(row, column++);
      trial_codes_.push_back(code);
      trial.place = places_.with(trial.place, code);
    }
    trial_of_id_.put(trial.id, trials_.size());
    trials_.push_back(trial);
  });
}

void PooledReader::read_attempts() {
  if (!has_own_results(plan_)) {
    state_.rows.each(attempt_rows(plan_), [&](const RowValues& row) { add_attempt(row); });
    return;
  }
  RowIndex own;
  state_.rows.each(rows_of_sweep(plan_), [&](const RowValues& row) { own.put(row.integer(0), 0); });
  bool another = false;
  state_.rows.each(attempt_rows(plan_), [&](const RowValues& row) {
    if (own.find(row.integer(0)) == RowIndex::kNone) return;
    if (row.integer(kMayBeReplacedColumn) != 0) {
      another = true;
    } else {
      add_attempt(row);
    }
  });
  if (!another) return;
  state_.rows.each(rows_instead(plan_), [&](const RowValues& row) { add_attempt(row); });
}

void PooledReader::add_attempt(const RowValues& row) {
  const std::uint32_t found = trial_of_id_.find(row.integer(1));
  if (found == RowIndex::kNone) return;
  TrialAt& trial = trials_[found];
  // Another sweep may have repeated the trial more often than this one requested.
  if (plan_.sweep && row.integer(kRepeatColumn) >= trial.repeats) return;
  AttemptAt attempt;
  attempt.row = row.integer(0);
  attempt.trial = found;
  attempt.place = trial.place;
  attempt.trusted = row.text(2) == "done" && row.text(3) == "valid";
  int column = plan_.sweep ? kMayBeReplacedColumn + 1 : kRepeatColumn;
  for (CodedColumn& values : attempt_columns_) {
    const std::uint32_t code = values.code(row, column++);
    attempt_codes_.push_back(code);
    attempt.place = places_.with(attempt.place, code);
  }
  // The attempts of a trial form a linked list, which find_differences follows.
  attempt.before = std::exchange(trial.attempt, static_cast<std::uint32_t>(attempts_.size()));
  attempt_of_row_.put(attempt.row, attempts_.size());
  attempts_.push_back(attempt);
}

std::vector<std::int64_t> PooledReader::phases(std::int64_t metric) {
  std::vector<std::int64_t> ids;
  if (plan_.phases.empty()) {
    // EXISTS looks up one entry of the index per name. DISTINCT would read all summaries.
    Query used(state_.connection,
               "SELECT id FROM name n WHERE EXISTS (SELECT 1 FROM summary WHERE metric = ? AND "
               "phase = n.id)");
    used.bind(metric);
    while (used.next()) ids.push_back(used.integer(0));
  }
  for (const std::string& name : plan_.phases) {
    const auto id = state_.names.find(name);
    if (id && std::find(ids.begin(), ids.end(), *id) == ids.end()) ids.push_back(*id);
  }
  return ids;
}

void PooledReader::read_summaries(std::int64_t metric, std::size_t phase) {
  cell_of_place_.emplace_back(places_.size());
  // Reads the index alone, in order of attempts.
  const RowSource rows{
      plan_.with_extremes ? "attempt, n, mean, std, steadiness, min, max"
                          : "attempt, n, mean, std, steadiness",
      fmt::format("FROM summary INDEXED BY summary_by_metric WHERE metric = {} AND "
                  "phase = {}",
                  metric, phases_[phase])};
  Stats stats;
  stats.min = stats.max = std::numeric_limits<double>::quiet_NaN();
  state_.rows.each(rows, [&](const RowValues& row) {
    const std::uint32_t found = attempt_of_row_.find(row.integer(0));
    if (found == RowIndex::kNone) return;
    AttemptAt& attempt = attempts_[found];
    // An attempt without any phase here is listed by itself, as not measured.
    attempt.phases |= std::uint64_t{1} << phase;
    if (!attempt.trusted) return;
    stats.n = row.integer(1);
    stats.mean = row.real(2);
    stats.std = row.real(3);
    if (plan_.with_extremes) {
      stats.min = row.real(5);
      stats.max = row.real(6);
    }
    Cell& cell = cell_of(found, phase);
    cell.sums.add(stats);
    add_unsteady(cell.unsteady, row.text(4));
    if (attempt.trial != attempts_[cell.attempt].trial) cell.several_trials = true;
  });
}

PooledReader::Cell& PooledReader::cell_of(std::uint32_t attempt, std::size_t phase) {
  std::uint32_t& found = cell_of_place_[phase][attempts_[attempt].place];
  if (found == 0) {
    Cell cell;
    cell.at = codes_of(attempt);
    cell.attempt = attempt;
    cell.phase = phases_[phase];
    cells_.push_back(std::move(cell));
    found = static_cast<std::uint32_t>(cells_.size());
  }
  return cells_[found - 1];
}

std::vector<std::uint32_t> PooledReader::codes_of(std::size_t attempt) const {
  std::vector<std::uint32_t> at(plan_.dimensions.size(), kEveryValue);
  const auto fill = [&at](const std::vector<CodedColumn>& columns,
                          const std::vector<std::uint32_t>& codes, std::size_t index) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      at[columns[i].dimension()] = codes[index * columns.size() + i];
    }
  };
  fill(trial_columns_, trial_codes_, attempts_[attempt].trial);
  fill(attempt_columns_, attempt_codes_, attempt);
  return at;
}

void PooledReader::note_values() {
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    // A trial without a selected attempt must not add values to the table.
    if (trials_[i].attempt == kNone) continue;
    const std::uint32_t* code = trial_codes_.data() + i * trial_columns_.size();
    for (CodedColumn& column : trial_columns_) column.note(*code++, trials_[i].position);
  }
  if (attempt_columns_.empty()) return;
  for (std::size_t i = 0; i < attempts_.size(); ++i) {
    const std::uint32_t* code = attempt_codes_.data() + i * attempt_columns_.size();
    for (CodedColumn& column : attempt_columns_) {
      column.note(*code++, trials_[attempts_[i].trial].position);
    }
  }
}

void PooledReader::order_values(PooledScan& out, std::vector<DimensionCoder>& coders) {
  for (const auto* columns : {&trial_columns_, &attempt_columns_, &other_columns_}) {
    for (const CodedColumn& column : *columns) {
      const std::size_t d = column.dimension();
      // Codes were given in the order of reading, and rows need those of the display order.
      auto [coder, new_code] = column.ordered();
      coders[d] = std::move(coder);
      for (SelectedAttempt& single : out.singles) single.at[d] = new_code[single.at[d]];
      for (Cell& cell : cells_) {
        if (cell.at[d] != kEveryValue) cell.at[d] = new_code[cell.at[d]];
      }
    }
  }
}

ResultRow PooledReader::row_of(Cell& cell, std::vector<DimensionCoder>& coders) {
  ResultRow row;
  row.stats = cell.sums.attempts > 1 ? cell.sums.pooled() : whole(cell);
  row.attempts = cell.sums.attempts;
  row.several_trials = cell.several_trials;
  row.unsteady = std::move(cell.unsteady);
  row.at = std::move(cell.at);
  for (std::size_t i = 0; i < plan_.dimensions.size(); ++i) {
    const auto* common = std::get_if<ResultColumn>(&plan_.dimensions[i].column);
    if (common == nullptr) continue;
    if (*common == ResultColumn::kPhase) {
      row.at[i] = coders[i].code(Value(state_.names.text(cell.phase)));
    } else if (*common == ResultColumn::kMetric) {
      row.at[i] = coders[i].code(Value(plan_.metrics.front()));
    }
  }
  Query trial(state_.connection, "SELECT key FROM trial WHERE id = ?");
  trial.bind(trials_[attempts_[cell.attempt].trial].id);
  trial.next();
  row.trial = trial.text(0);
  return row;
}

// One attempt alone has order statistics too.
Stats PooledReader::whole(const Cell& cell) {
  Query query(state_.connection,
              "SELECT min, p05, median, p95, max, mad FROM summary WHERE attempt = ? AND phase = ? "
              "AND metric = (SELECT id FROM name WHERE text = ?)");
  query.bind_all(attempts_[cell.attempt].row, cell.phase, plan_.metrics.front());
  query.next();
  Stats stats = cell.sums.stats;
  stats.min = query.real(0);
  stats.p05 = query.real(1);
  stats.median = query.real(2);
  stats.p95 = query.real(3);
  stats.max = query.real(4);
  stats.mad = query.real(5);
  return stats;
}

}  // namespace sweepd
