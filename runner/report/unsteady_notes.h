// The lines under a table that say in which of its cells the steps are not on one level.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "runner/model/result_set.h"

namespace sweepd::report {

class UnsteadyNotes {
 public:
  // Adds one shown cell: its results that are done.
  void add_cell(const std::vector<const ResultRow*>& done);
  // "§ in 2 of 12 cells the steps are bimodal: ..."; one line a kind, in alphabetical order.
  std::vector<std::string> lines() const;

 private:
  struct Count {
    std::size_t cells = 0;
    std::int64_t attempts = 0;
  };
  std::map<std::string, Count> kinds_;
  std::size_t cells_ = 0;  // with a figure
};

}  // namespace sweepd::report
