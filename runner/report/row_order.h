// The order of a table's rows: by their dimensions from left to right, except that parameters which
// the sweep file lists together follow the file's points.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runner/report/axes.h"

namespace sweepd::report {

class RowOrder {
 public:
  // `axes` must outlive it.
  RowOrder(const Axes& axes, const std::vector<FileOrder>& orders);
  bool before(const Key& a, const Key& b) const;

 private:
  struct Group {
    std::vector<std::size_t> positions;                      // of its parameters in a row's key
    std::map<std::vector<std::string>, std::size_t> places;  // from a point to its first position
  };
  // Combinations that the file does not have come after all points.
  std::size_t place(const Group& group, const Key& key) const;

  const Axes& axes_;
  std::vector<Group> groups_;
};

}  // namespace sweepd::report
