// Checks whether repeated attempts of one trial agree. The spread inside each attempt cannot show
// this, because each process has other memory addresses and another clock and temperature.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runner/model/result_set.h"

namespace sweepd::report {

class Agreement {
 public:
  // Adds the attempts of one cell. A cell is skipped if one of them has fewer than two samples,
  // because that attempt has no spread.
  void add_cell(const std::vector<const ResultRow*>& attempts);
  // Returns "; their means differ by up to 12% and agree within ± std in 10 of 12 cells", or "" if
  // no cell was added.
  std::string words() const;

 private:
  std::size_t cells_ = 0, agreeing_ = 0;
  double widest_ = 0;  // largest minus smallest mean, as a share of the cell's
};

}  // namespace sweepd::report
