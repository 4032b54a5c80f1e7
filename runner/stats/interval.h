// The two ends of a confidence interval, in the unit of the figure that it belongs to.
#pragma once

namespace sweepd::stats {

struct Interval {
  double low = 0;
  double high = 0;
};

}  // namespace sweepd::stats
