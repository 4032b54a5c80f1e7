// The line under a table that says where a few slow steps moved the mean away from the usual step.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runner/model/result_set.h"

namespace sweepd::report {

class SlowStepNotes {
 public:
  // Adds one shown cell that shows no median. Counts it if it is a time and has at least five
  // steps.
  void add_cell(const std::string& name, const ResultSet& results,
                const std::vector<const ResultRow*>& rows);
  // "in 2 of 12 cells a few slow steps raise the mean by more than a tenth above the median, ...";
  // nothing if there are none.
  std::vector<std::string> lines() const;

 private:
  std::size_t cells_ = 0;  // of times
  std::size_t moved_ = 0;  // those among them whose mean is no usual step
  double largest_ = 0;     // mean by median
  std::string largest_in_;
};

}  // namespace sweepd::report
