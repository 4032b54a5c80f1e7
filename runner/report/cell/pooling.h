// The rule which results may share a cell: repeats of one trial always, different trials if the
// table names the parameters in which they differ (TableSpec::pool). Table, plot, errors and notes
// follow it; the reader of pooled results (db/query/results/pooled_reader.h) only records what they
// need.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "runner/model/attempt/result_set.h"
#include "runner/report/cell/axes.h"

namespace sweepd::report {

// Whether results are repeats of one trial. kUnknown: several attempts whose trials are unknown.
enum class OneTrial { kYes, kNo, kUnknown };
OneTrial one_trial(std::span<const ResultRow* const> rows);

// The parameters over which a table's cells pool beyond those that it names, fixes and allows.
class UnsaidPooling {
 public:
  // `allowed` is TableSpec::pool; `drawn` says that the cells are points of a plot.
  explicit UnsaidPooling(const std::vector<std::string>& allowed, bool drawn = false);

  // Adds the results of one cell; those that have run count, with any outcome.
  void add_cell(const std::vector<const ResultRow*>& rows, const Axes& axes);
  bool any() const { return cells_ > 0; }

  // "these cells would pool precision (fp32, bf16): ..." with the options of `query` that help.
  std::string refusal() const;
  // The same about a table of a sweep file that is shown nevertheless.
  std::string warning() const;

 private:
  struct Pooled {
    std::vector<std::string> values;  // in the order in which cells showed them
    std::string example;              // a value that the first such cell has; "" if not known
  };
  bool allows(const std::string& name) const;
  std::string advice() const;
  std::string parameters() const;

  const std::vector<std::string>& allowed_;
  bool drawn_;
  std::vector<std::string> names_;  // in the order in which they were found
  std::map<std::string, Pooled> pooled_;
  std::size_t cells_ = 0;
};

}  // namespace sweepd::report
