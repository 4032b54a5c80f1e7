// Runs the event loop and records the longest time that one piece of work took. During such work
// the loop neither answers clients nor keeps deadlines. The aim is 20 ms (docs/ARCHITECTURE.md).
#pragma once

#include <boost/asio/io_context.hpp>

#include "runner/base/clock.h"

namespace sweepd {

class LoopWatch {
 public:
  void run(boost::asio::io_context& io);

  // The longest since the start. For work that ran first after the loop had waited, its processor
  // time counts, because the end of the wait is unknown. For all other work wall time counts.
  Duration longest() const { return longest_; }

 private:
  void note(Duration held);

  Duration longest_{0};
};

}  // namespace sweepd
