// Decides when the sentinel of a sweep runs: a short, known measurement whose time shows whether
// the machine changed while the sweep ran. Pure: no clock, no I/O, no threads. Every call is given
// the time it needs; the daemon asks before it starts an attempt, and queues the sentinel.
//
// The sentinel runs before the first attempt of the sweep that starts, then before the next one
// whenever the interval has passed since it last started, and once more when the sweep's last
// attempt has ended. At least one attempt starts between two sentinels, even if they take long. A
// sweep that measures on CPU and GPU has one on each. Times are kept in memory only, so after a
// restart of the daemon the sentinel runs before the next attempt.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "runner/base/clock.h"
#include "runner/sched/scheduler.h"

namespace sweepd {

// The target of a sentinel: a sweep on one kind of device.
struct Watched {
  std::int64_t sweep = 0;  // its row in the database
  DeviceKind device = DeviceKind::kCpu;
  friend auto operator<=>(const Watched&, const Watched&) = default;
};

class SentinelPlan {
 public:
  // Both are repeatable. An attempt of the sweep is open from its queueing to its end, with any
  // outcome.
  void opened(const Watched& watched, Duration every, ItemId attempt);
  // Returns true if the sentinel must be queued, because this was the last attempt.
  bool ended(const Watched& watched, ItemId attempt);

  enum class Next {
    kStart,     // the attempt may start
    kSentinel,  // queue the sentinel; the attempt waits for it
    kWait,      // the sentinel is queued and has not started; the attempt waits for it
  };
  // Call when an attempt would start. kStart counts it as started.
  Next before_start(const Watched& watched, Instant now);

  // The sentinel is in the queue, again or since before a restart.
  void queued(const Watched& watched, Duration every);
  // It started, or ended without having started, or cannot be queued now. Ignored if it is not
  // queued, so that its end may be reported like any other.
  void settled(const Watched& watched, Instant now);
  // The sweep has no sentinel any more, since it was cancelled: its attempts no longer wait.
  void forget(const Watched& watched) { series_.erase(watched); }

  bool empty() const { return series_.empty(); }

 private:
  struct Series {
    Duration every{0};
    std::optional<Instant> last;  // when the sentinel last started
    bool is_queued = false;
    bool measured_since = false;  // an attempt started after it
    std::set<ItemId> open;
  };

  Next queue(Series& series);
  void forget_if_over(const Watched& watched);

  std::map<Watched, Series> series_;
};

}  // namespace sweepd
