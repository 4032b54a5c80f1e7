// Reads the trials, attempts and summaries of a plan front to back, once each, and joins them here.
// The join uses arrays indexed by rows of `trial` and `attempt`, 4 bytes each: a hundred lookups in
// them cost as much as one seek of SQLite.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "db/query/planning/coder.h"
#include "db/query/planning/selection_sql.h"
#include "db/query/results/dictionary.h"
#include "db/query/results/pooled_scan.h"
#include "db/query/row_visitor.h"
#include "runner/model/measurement/pooled_stats.h"
#include "runner/model/vocabulary/param.h"

namespace sweepd {

// Maps the row ids of a table to places in an array. Ids are dense, so it takes 4 bytes per id.
class RowIndex {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  void put(std::int64_t id, std::size_t place) {
    const auto at = static_cast<std::size_t>(id);
    if (at >= places_.size()) places_.resize(std::max(at + 1, 2 * places_.size()), kNone);
    places_[at] = static_cast<std::uint32_t>(place);
  }
  std::uint32_t find(std::int64_t id) const {  // kNone if it was never put
    const auto at = static_cast<std::size_t>(id);
    return at < places_.size() ? places_[at] : kNone;
  }

 private:
  std::vector<std::uint32_t> places_;
};

// Stores one dimension of trials or attempts as codes until the table's values are known.
class CodedColumn {
 public:
  CodedColumn(std::size_t dimension, ValueType type) : dimension_(dimension), type_(type) {}

  std::size_t dimension() const { return dimension_; }  // of the plan's
  std::uint32_t code(const RowValues& row, int column) {
    switch (type_) {
      case ValueType::kText:
      case ValueType::kChoice:
        return texts_.code(row.text(column));
      case ValueType::kReal:
        return reals_.code(row.real(column));
      default:
        return integers_.code(row.integer(column));
    }
  }
  // Marks the value as shown. Values are ordered by the first trial that has them.
  void note(std::uint32_t code, std::int64_t position) {
    if (code >= positions_.size()) positions_.resize(code + 1, kNowhere);
    if (position < positions_[code]) positions_[code] = position;
  }

  // Returns the noted values in that order. `new_code` is indexed by the code that `code` returned.
  struct Ordered {
    DimensionCoder coder;
    std::vector<std::uint32_t> new_code;
  };
  Ordered ordered() const;

 private:
  static constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::max();
  Value value(std::uint32_t code) const;

  std::size_t dimension_;
  ValueType type_;
  Dictionary<std::string> texts_;
  Dictionary<std::int64_t> integers_;  // booleans, too
  Dictionary<double> reals_;
  std::vector<std::int64_t> positions_;  // by code
};

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
