// The figures of one attempt, read from where the plan says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/query/plan.h"
#include "runner/model/sample.h"

namespace sweepd {

struct FigureRow {
  std::int64_t phase = 0, metric = 0;  // ids of `name`; a memory metric: its index
  std::int64_t step = 0, rank = 0;     // meaningful when they are dimensions
  Stats stats;
  std::vector<double> samples;
};

class FigureReader {
 public:
  FigureReader(ReaderState& state, const ResultPlan& plan, bool with_samples);
  std::vector<FigureRow> read(std::int64_t attempt);
  std::string metric_text(std::int64_t metric);

 private:
  std::vector<FigureRow> from_summary(std::int64_t attempt);
  std::vector<FigureRow> from_samples(std::int64_t attempt);
  std::vector<FigureRow> from_memory(std::int64_t attempt);
  void add_samples(std::int64_t attempt, std::vector<FigureRow>& rows);

  ReaderState& state_;
  const ResultPlan& plan_;
  bool with_samples_;
  std::optional<Query> summary_;  // kept open: a query asks it once an attempt
  std::string name_filter_;       // " AND metric = 3 AND phase IN (1, 2)"
  std::string place_filter_;      // " AND rank IN (0) AND step IN (5)"
};

}  // namespace sweepd
