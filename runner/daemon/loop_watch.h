// Runs the event loop and notes the longest time for which one piece of work held it up: while it
// did, no client was answered and no deadline kept. The aim is 20 ms (docs/ARCHITECTURE.md).
#pragma once

#include <boost/asio/io_context.hpp>

#include "runner/base/clock.h"

namespace sweepd {

class LoopWatch {
 public:
  void run(boost::asio::io_context& io);

  // Since the start. Of what ran first after the loop had waited for something, its processor time:
  // when such a wait ended is not known. Of everything else the time by the clock.
  Duration longest() const { return longest_; }

 private:
  void note(Duration held);

  Duration longest_{0};
};

}  // namespace sweepd
