// Makes the rows of a ResultSet from attempts: figures for done ones, words for the others.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "db/query/partial_steps_reader.h"
#include "db/query/planning/selection.h"
#include "db/query/results/figures.h"
#include "db/query/results/work_reader.h"

namespace sweepd {

class ResultBuilder {
 public:
  ResultBuilder(ReaderState& state, const QueryPlan& plan, bool with_samples);
  // `pooled` are finished rows (pooled_scan.h) with codes of `coders`.
  ResultSet build(const std::vector<SelectedAttempt>& attempts,
                  const std::vector<DimensionCoder>& coders, std::vector<ResultRow> pooled = {});

 private:
  void add_figures(const SelectedAttempt& attempt, std::vector<FigureRow> figures);
  void add_of_trial(const std::vector<const SelectedAttempt*>& attempts);
  void add_by_trial(const std::vector<SelectedAttempt>& attempts);
  void add_words(const SelectedAttempt& attempt);
  void place(ResultRow& row, const FigureRow& figure);
  std::string note_of(const SelectedAttempt& attempt);
  void order_dimensions();
  void name_metric();
  DimensionCoder::Ordered order_of(std::size_t dimension) const;
  // Facts or figures of all sweeps in the order of their positions, which is the same in every
  // database.
  std::vector<std::string> stated_order() const;
  std::vector<std::string> texts_of(std::size_t dimension, const std::vector<Value>& values);

  ReaderState& state_;
  const QueryPlan& plan_;
  FigureReader figures_;
  WorkReader work_;
  std::optional<PartialStepsReader> partial_steps_;  // made for the first attempt that is not done
  std::vector<DimensionCoder> coders_;
  // By plan.keys: the code of a name whose id the figures carry. Ids are cheaper to compare.
  std::vector<std::unordered_map<std::int64_t, std::uint32_t>> code_of_name_;
  std::map<std::string, std::int64_t> stated_;  // facts or figures by their least position
  ResultSet results_;
  bool any_figure_ = false;
};

// Appends to the plan's dimensions the parameters that distinguish trials which share all of them,
// so that the report names the differences within its pooled cells, and gives the attempts their
// codes.
void add_distinguishing(ReaderState& state, QueryPlan& plan, std::vector<DimensionCoder>& coders,
                        std::vector<SelectedAttempt>& attempts);

}  // namespace sweepd
