#include "runner/trace/intervals.h"

#include <algorithm>
#include <limits>

namespace sweepd::trace {

std::vector<Window> union_of(std::vector<Window> intervals) {
  std::ranges::sort(intervals, {}, &Window::begin_ns);
  std::size_t kept = 0;
  for (const Window& each : intervals) {
    if (each.length_ns() == 0) continue;
    if (kept > 0 && each.begin_ns <= intervals[kept - 1].end_ns) {
      intervals[kept - 1].end_ns = std::max(intervals[kept - 1].end_ns, each.end_ns);
    } else {
      intervals[kept++] = each;
    }
  }
  intervals.resize(kept);
  return intervals;
}

std::int64_t length_of(const std::vector<Window>& intervals) {
  std::int64_t length = 0;
  for (const Window& each : intervals) length += each.length_ns();
  return length;
}

std::int64_t length_of_both(const std::vector<Window>& a, const std::vector<Window>& b) {
  std::int64_t length = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    length += clip(a[i], b[j]).length_ns();
    if (a[i].end_ns < b[j].end_ns) {
      ++i;
    } else {
      ++j;
    }
  }
  return length;
}

Window clip(Window interval, const Window& window) {
  return {std::max(interval.begin_ns, window.begin_ns), std::min(interval.end_ns, window.end_ns)};
}

void TouchIndex::add(std::int64_t begin_ns, std::int64_t end_ns) {
  begins_.push_back(begin_ns);
  furthest_.push_back(furthest_.empty() ? end_ns : std::max(end_ns, furthest_.back()));
}

TouchIndex::Range TouchIndex::touching(const Window& window) const {
  const auto first = std::ranges::lower_bound(furthest_, window.begin_ns) - furthest_.begin();
  const auto last = std::ranges::lower_bound(begins_, window.end_ns) - begins_.begin();
  return {static_cast<std::size_t>(std::min(first, last)), static_cast<std::size_t>(last)};
}

std::int64_t TouchIndex::furthest_before(std::size_t index) const {
  return index == 0 ? std::numeric_limits<std::int64_t>::min() : furthest_[index - 1];
}

}  // namespace sweepd::trace
