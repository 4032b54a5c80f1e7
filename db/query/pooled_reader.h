// Reads the trials, attempts and summaries of a plan front to back, once each, and joins them here.
// The join uses arrays indexed by rows of `trial` and `attempt`, 4 bytes each: a hundred lookups in
// them cost as much as one seek of SQLite.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "db/query/coded_column.h"
#include "db/query/pooled_scan.h"
#include "db/query/row_index.h"
#include "db/query/selection_sql.h"
#include "runner/model/pooled_stats.h"

namespace sweepd {

// For one use. The plan must be one that scan_pooled accepts; the dimensions after the named ones
// are parameters of trials.
class PooledReader {
 public:
  PooledReader(ReaderState& state, const QueryPlan& plan);
  // `coders` has one empty coder for each of the plan's dimensions. Of `attempt` and `trial`,
  // singles have the rows only. Returns nothing if the metric has more phases than fit into a word.
  std::optional<PooledScan> read(std::vector<DimensionCoder>& coders);

 private:
  static constexpr std::size_t kMaxPhases = 64;
  static constexpr std::uint32_t kNone = RowIndex::kNone;

  struct TrialAt {
    std::int64_t id = 0, position = 0, repeats = 0;
    std::uint32_t place = 0;
    std::uint32_t attempt = kNone;  // the last one; index into attempts_
  };
  struct AttemptAt {
    std::int64_t row = 0;
    std::uint32_t trial = 0, place = 0;  // index into trials_; the named dimensions together
    std::uint32_t before = kNone;        // the previous attempt of the same trial
    bool trusted = false;
    std::uint64_t phases = 0;  // one bit for each phase in which it was measured
  };
  struct Cell {
    PooledStats sums;
    std::vector<Unsteady> unsteady;
    std::vector<std::uint32_t> at;  // codes of the plan's dimensions
    std::uint32_t attempt = 0;      // the first
    std::int64_t phase = 0;         // id of its name
    bool several_trials = false;
    bool compared = false;  // `at` has the codes of a trial for the dimensions after the named ones
    bool decided = false;   // no other trial can change it
  };

  void read_trials();
  void read_attempts();
  void add_attempt(const RowValues& row);
  void read_summaries(std::int64_t metric, std::size_t phase);
  std::vector<std::int64_t> phases(std::int64_t metric);
  Cell& cell_of(std::uint32_t attempt, std::size_t phase);
  std::vector<SelectedAttempt> singles() const;

  // pooled_differences.cpp
  void find_differences(std::vector<SelectedAttempt>& singles);
  void compare(const TrialAt& trial, const std::vector<std::uint32_t>& codes);
  void compare(Cell& cell, const std::vector<std::uint32_t>& codes);

  std::vector<std::uint32_t> codes_of(std::size_t attempt) const;
  void note_values();
  void order_values(PooledScan& out, std::vector<DimensionCoder>& coders);
  ResultRow row_of(Cell& cell, std::vector<DimensionCoder>& coders);
  Stats whole(const Cell& cell);

  ReaderState& state_;
  const QueryPlan& plan_;
  std::vector<CodedColumn> trial_columns_, attempt_columns_;  // named ones
  std::vector<CodedColumn> other_columns_;                    // of trials
  Combinations places_;
  std::vector<TrialAt> trials_;
  std::vector<AttemptAt> attempts_;
  std::vector<std::uint32_t> trial_codes_, attempt_codes_;  // by trial or attempt, then by column
  RowIndex trial_of_id_, attempt_of_row_;
  std::vector<std::int64_t> phases_;                       // ids of their names
  std::vector<std::vector<std::uint32_t>> cell_of_place_;  // by phase; 1 + index; 0: none
  std::vector<Cell> cells_;
  std::size_t undecided_ = 0;  // cells
};

}  // namespace sweepd
