// The front of the pools: queued attempts, either in the scheduler or held outside it because all
// sweeps that want them are paused. Large changes take effect in slices, in the order of the calls
// (queue_changes.h). Lives on the event loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "db/store/store.h"
#include "runner/daemon/attempts/pools.h"
#include "runner/daemon/attempts/queue_changes.h"
#include "runner/daemon/attempts/waiting_attempts.h"
#include "runner/daemon/threads/side_thread.h"
#include "runner/model/vocabulary/catalog.h"
#include "runner/model/vocabulary/outcome.h"
#include "runner/sched/scheduler.h"

namespace sweepd {

class AttemptQueue {
 public:
  struct Hooks {
    std::function<void(const OpenAttempt&, Ending)> refused;  // it can start nowhere
    std::function<void(const OpenAttempt&)> added, removed;   // removed: it had ended already
    std::function<void(std::int64_t row)> held;  // if it is about to start, it may return
    std::function<void()> changed;               // nothing is left to change
  };

  // `side` destroys the leftovers of large changes.
  AttemptQueue(boost::asio::io_context& io, SideThread& side, const Pools& pools,
               const Catalog& catalog, Scheduler& scheduler, Hooks hooks);

  void enqueue(std::vector<OpenAttempt> attempts) { changes_.enqueue(std::move(attempts)); }
  // They have ended in the database.
  void forget(std::vector<std::int64_t> rows) { changes_.forget(std::move(rows)); }
  // For paused and resumed sweeps. Ignores unknown rows.
  void set_holds(Holds holds) { changes_.hold(std::move(holds)); }
  bool is_changing() const { return !changes_.empty(); }

  // From here on this class knows whether the attempt is held, also while it starts or runs.
  void note_hold(OpenAttempt& attempt);
  bool is_held(std::int64_t row) const { return held_.contains(row); }
  void end_hold(std::int64_t row) { held_.erase(row); }  // it has ended

  // Of a queued attempt.
  std::optional<OpenAttempt> find(std::int64_t row) const { return waiting_.find(row); }
  std::optional<OpenAttempt> take(std::int64_t row);
  // Puts it back as if it had never had a lease. It gets another one when starts resume.
  void put_back(std::int64_t row);
  void put_back(OpenAttempt attempt);

  std::size_t size() const { return scheduler_.queued() + changes_.arriving() + held(); }
  std::size_t held() const { return parked_.size(); }  // of `size`
  bool nothing_wants_to_start() const { return waiting_.size() == parked_.size(); }

 private:
  QueueChanges::Hooks change_hooks();
  void add(OpenAttempt attempt);
  void forget(std::int64_t row);
  void hold(std::int64_t row);
  void release(std::int64_t row);
  void queue(const OpenAttempt& attempt);
  void leave_queue(std::int64_t row);

  const Pools& pools_;
  const Catalog& catalog_;
  Scheduler& scheduler_;
  Hooks hooks_;
  WaitingAttempts waiting_;
  // Rows of open attempts whose sweeps are all paused, and those among them that wait outside the
  // scheduler.
  std::set<std::int64_t> held_, parked_;
  QueueChanges changes_;
};

}  // namespace sweepd
