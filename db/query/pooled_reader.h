// Trials, attempts and summaries of a plan, each read front to back once and joined here: by arrays
// over rows of `trial` and `attempt`, 4 bytes each, in which one seek of SQLite costs a hundred
// looks.
#pragma once

#include <cstdint>
#include <vector>

#include "db/query/coded_column.h"
#include "db/query/pooled_cell.h"
#include "db/query/pooled_scan.h"
#include "db/query/selection_sql.h"

namespace sweepd {

// For one use. The plan is one that scan_pooled takes.
class PooledReader {
 public:
  PooledReader(ReaderState& state, const ResultPlan& plan);
  // `coders`: one for each of the plan's dimensions, empty before. Singles lack what stands in
  // `attempt` and `trial` but their rows.
  PooledScan read(std::vector<DimensionCoder>& coders);

 private:
  struct TrialAt {
    std::int64_t id = 0, position = 0, repeats = 0;
    std::uint32_t place = 0;
    bool used = false;
  };
  struct AttemptAt {
    std::int64_t row = 0;
    std::uint32_t trial = 0, place = 0;  // index into trials_; the named dimensions together
    bool trusted = false, measured = false;
  };
  struct Cell {
    PooledCell sums;
    std::vector<std::uint32_t> at;  // codes by the plan's dimension
    std::uint32_t attempt = 0;      // the first
    std::int64_t phase = 0;
    bool several_trials = false;
    bool all_differ = false;  // its trials, in each column that no row or column names
  };

  void read_trials();
  void read_attempts();
  void read_summaries(std::int64_t metric, std::int64_t phase);
  std::vector<std::int64_t> phases(std::int64_t metric);
  Cell& cell_of(std::uint32_t attempt, std::int64_t phase);
  void join_trial(Cell& cell, std::uint32_t trial) const;
  std::vector<std::uint32_t> codes_of(std::size_t attempt) const;
  void note_values();
  void order_values(PooledScan& out, std::vector<DimensionCoder>& coders);
  ResultRow row_of(Cell& cell, std::vector<DimensionCoder>& coders);
  Stats whole(const Cell& cell);

  ReaderState& state_;
  const ResultPlan& plan_;
  std::vector<CodedColumn> trial_columns_, attempt_columns_;
  std::size_t named_trial_columns_ = 0;  // the first ones
  Combinations places_;
  std::vector<TrialAt> trials_;
  std::vector<AttemptAt> attempts_;
  std::vector<std::uint32_t> trial_codes_, attempt_codes_;   // by trial or attempt, then column
  std::vector<std::uint32_t> trial_of_id_, attempt_of_row_;  // 1 + index; 0: not asked for
  std::vector<std::uint32_t> cell_of_place_;                 // of one phase; 1 + index; 0: none yet
  std::vector<Cell> cells_;
};

}  // namespace sweepd
