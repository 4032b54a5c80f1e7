#include "runner/daemon/attempts/attempt_queue.h"

#include <string>

#include "runner/daemon/attempts/item_of.h"

namespace sweepd {

AttemptQueue::AttemptQueue(boost::asio::io_context& io, SideThread& side, const Pools& pools,
                           const Catalog& catalog, Scheduler& scheduler, Hooks hooks)
    : pools_(pools),
      catalog_(catalog),
      scheduler_(scheduler),
      hooks_(std::move(hooks)),
      waiting_(catalog),
      changes_(io, side, change_hooks()) {}

QueueChanges::Hooks AttemptQueue::change_hooks() {
  QueueChanges::Hooks hooks;
  hooks.add = [this](OpenAttempt attempt) { add(std::move(attempt)); };
  hooks.forget = [this](std::int64_t row) { forget(row); };
  hooks.hold = [this](std::int64_t row) { hold(row); };
  hooks.release = [this](std::int64_t row) { release(row); };
  hooks.done = [this] { hooks_.changed(); };
  return hooks;
}

void AttemptQueue::add(OpenAttempt attempt) {
  const WorkloadDef* def = catalog_.find(attempt.workload);
  if (def == nullptr) {
    return hooks_.refused(attempt, {Skipped{"this worker has no workload `" + attempt.workload +
                                            "`; use a build that has it, then retry"}});
  }
  if (!pool_of(pools_, *def, attempt.trial)) {
    return hooks_.refused(attempt, {Skipped{unknown_pool(pools_, pool_of(*def, attempt.trial))}});
  }
  hooks_.added(attempt);
  note_hold(attempt);
  queue(attempt);
  waiting_.add(std::move(attempt));
}

void AttemptQueue::forget(std::int64_t row) {
  leave_queue(row);
  held_.erase(row);
  if (const auto attempt = waiting_.take(row)) hooks_.removed(*attempt);
}

void AttemptQueue::note_hold(OpenAttempt& attempt) {
  if (std::exchange(attempt.held, false)) held_.insert(attempt.row);
}

void AttemptQueue::queue(const OpenAttempt& attempt) {
  if (held_.contains(attempt.row)) {
    parked_.insert(attempt.row);
    return;
  }
  scheduler_.add(item_of(catalog_, attempt, pool_of(pools_, catalog_, attempt)));
}

void AttemptQueue::leave_queue(std::int64_t row) {
  if (parked_.erase(row) == 0) scheduler_.cancel(row);
}

// An attempt about to start may still return. A running one finishes, and waits only if it is
// queued again.
void AttemptQueue::hold(std::int64_t row) {
  if (!held_.insert(row).second) return;
  if (!waiting_.contains(row)) return hooks_.held(row);
  leave_queue(row);
  parked_.insert(row);
}

void AttemptQueue::release(std::int64_t row) {
  held_.erase(row);
  if (parked_.erase(row) == 0) return;
  if (const auto attempt = waiting_.find(row)) queue(*attempt);
}

std::optional<OpenAttempt> AttemptQueue::take(std::int64_t row) {
  auto attempt = waiting_.take(row);
  if (attempt) parked_.erase(row);
  return attempt;
}

void AttemptQueue::put_back(std::int64_t row) {
  scheduler_.finished(row);
  if (const auto attempt = waiting_.find(row)) queue(*attempt);
}

void AttemptQueue::put_back(OpenAttempt attempt) {
  const std::int64_t row = attempt.row;
  waiting_.add(std::move(attempt));
  put_back(row);
}

}  // namespace sweepd
