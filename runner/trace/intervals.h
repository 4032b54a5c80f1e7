// Sets of intervals of time.
#pragma once

#include <cstdint>
#include <vector>

#include "runner/trace/window.h"

namespace sweepd::trace {

// The union of the intervals, without empty ones: in order, neither overlapping nor touching.
std::vector<Window> union_of(std::vector<Window> intervals);

// Of unions, as of union_of.
std::int64_t length_of(const std::vector<Window>& intervals);
std::int64_t length_of_both(const std::vector<Window>& a, const std::vector<Window>& b);

// The part of the interval inside the window; empty if there is none.
Window clip(Window interval, const Window& window);

// For intervals in the order of their begin: finds those that touch a window without a look at all
// of them.
class TouchIndex {
 public:
  void add(std::int64_t begin_ns, std::int64_t end_ns);
  struct Range {
    std::size_t first = 0, last = 0;  // [first, last); some may end before the window
  };
  Range touching(const Window& window) const;
  // The latest end of all before `index`; INT64_MIN for 0.
  std::int64_t furthest_before(std::size_t index) const;

 private:
  std::vector<std::int64_t> begins_, furthest_;
};

}  // namespace sweepd::trace
