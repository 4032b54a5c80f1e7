// The part of the dispatcher that puts attempts into the queue and takes them out of it. A held
// attempt waits outside the queue: all sweeps that want it are paused.
#include <algorithm>
#include <utility>

#include "runner/daemon/attempts/dispatcher.h"
#include "runner/daemon/attempts/item_of.h"

namespace sweepd {

QueueChanges::Hooks Dispatcher::change_hooks() {
  QueueChanges::Hooks hooks;
  hooks.add = [this](OpenAttempt attempt) { add(std::move(attempt)); };
  hooks.forget = [this](std::int64_t row) {
    leave_queue(row);
    held_.erase(row);
    if (const auto attempt = waiting_.take(row)) sentinels_.ended(*attempt);
  };
  hooks.hold = [this](std::int64_t row) { hold(row); };
  hooks.release = [this](std::int64_t row) { release(row); };
  hooks.done = [this] {
    hooks_.changed();
    schedule_pump();
  };
  return hooks;
}

void Dispatcher::add(OpenAttempt attempt) {
  const WorkloadDef* def = catalog_.find(attempt.workload);
  if (def == nullptr) {
    return end_without_process(attempt,
                               {Skipped{"this worker has no workload `" + attempt.workload +
                                        "`; use a build that has it, then retry"}});
  }
  if (!pool_of(pools_, *def, attempt.trial)) {
    return end_without_process(attempt,
                               {Skipped{unknown_pool(pools_, pool_of(*def, attempt.trial))}});
  }
  sentinels_.opened(attempt);
  note_hold(attempt);
  queue(attempt);
  waiting_.add(std::move(attempt));
}

// From here on `held_` has it, because the sweep may be resumed.
void Dispatcher::note_hold(OpenAttempt& attempt) {
  if (std::exchange(attempt.held, false)) held_.insert(attempt.row);
}

void Dispatcher::queue(const OpenAttempt& attempt) {
  if (held_.contains(attempt.row)) {
    parked_.insert(attempt.row);
    return;
  }
  scheduler_.add(item_of_attempt(attempt));
}

void Dispatcher::leave_queue(std::int64_t row) {
  if (parked_.erase(row) == 0) scheduler_.cancel(row);
}

void Dispatcher::hold(std::int64_t row) {
  if (!held_.insert(row).second) return;
  // An attempt about to start may still return. A running one finishes, and waits only if it is
  // queued again.
  if (!waiting_.contains(row)) return starter_.withdraw(row);
  leave_queue(row);
  parked_.insert(row);
}

void Dispatcher::release(std::int64_t row) {
  held_.erase(row);
  if (parked_.erase(row) == 0) return;
  if (const auto attempt = waiting_.find(row)) queue(*attempt);
}

void Dispatcher::pause_devices(const std::vector<PausedDevice>& devices) {
  paused_devices_ = devices;
  PausedDevices paused;
  for (const PausedDevice& device : devices) {
    if (device.kind == "cpu") {
      paused.cpu = true;
    } else {
      paused.gpus.insert(device.uuid);
    }
  }
  const auto is_there = [&](const RankLease& rank) {
    return rank.gpu_uuid.empty() ? paused.cpu : paused.gpus.contains(rank.gpu_uuid);
  };
  std::vector<std::int64_t> back;
  for (const auto& [row, starting] : starter_.all()) {
    if (pool_of_attempt(starting.attempt) != 0) continue;
    if (std::ranges::any_of(starting.attempt.lease.ranks, is_there)) back.push_back(row);
  }
  for (const std::int64_t row : back) starter_.withdraw(row);
  scheduler_.pause(0, std::move(paused));
  hooks_.changed();
  schedule_pump();
}

// Puts the attempt back as if it had never had a lease. It gets another one when starts resume.
void Dispatcher::put_back(std::int64_t row) {
  scheduler_.finished(row);
  if (const auto attempt = waiting_.find(row)) queue(*attempt);
}

}  // namespace sweepd
