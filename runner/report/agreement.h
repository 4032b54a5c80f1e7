// Whether repeated attempts of one trial tell the same: what a spread inside each attempt cannot
// show, as memory lies elsewhere in each and a clock has another temperature.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runner/model/result_set.h"

namespace sweepd::report {

class Agreement {
 public:
  // The attempts of one cell, each a mean of at least two samples; others have no spread to agree
  // within and are passed over.
  void add_cell(const std::vector<const ResultRow*>& attempts);
  // "; their means differ by up to 12% and agree within ± std in 10 of 12 cells", or "" when there
  // was no such cell.
  std::string words() const;

 private:
  std::size_t cells_ = 0, agreeing_ = 0;
  double widest_ = 0;  // largest minus smallest mean, as a share of the cell's
};

}  // namespace sweepd::report
