#include "runner/daemon/threads/loop_watch.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <ctime>

#include "runner/base/units.h"

namespace sweepd {
namespace {

constexpr Duration kTooLong = milliseconds(100);

Duration processor_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return Duration{now.tv_sec * 1'000'000'000 + now.tv_nsec};
}

}  // namespace

void LoopWatch::run(boost::asio::io_context& io) {
  while (true) {
    Instant begin = now_instant();
    while (io.poll_one() > 0) {
      const Instant end = now_instant();
      note(end - begin);
      begin = end;
    }
    const Duration before = processor_time();
    if (io.run_one() == 0) return;
    note(Duration{processor_time().ns - before.ns});
  }
}

void LoopWatch::note(Duration held) {
  if (held > kTooLong) spdlog::warn("the event loop was blocked for {}", to_human(held));
  longest_ = std::max(longest_, held);
}

}  // namespace sweepd
