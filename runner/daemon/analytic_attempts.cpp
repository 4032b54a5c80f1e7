// The part of the dispatcher for attempts of analytic workloads. They wait in a queue of their own,
// and in the scheduler the first of them represents all. Its item shares the host only with other
// shared items, so that no timing is disturbed. When it gets its lease, a batch is answered.
#include <spdlog/spdlog.h>

#include "runner/daemon/dispatcher.h"
#include "runner/daemon/run.h"

namespace sweepd {
namespace {

// Evaluating and storing a batch takes a few tens of milliseconds of the event loop, and one fsync.
constexpr std::size_t kBatch = 128;

Item item_for_batch(const Item& first) {
  Item item;
  item.id = first.id;
  item.priority = first.priority;
  item.position = first.position;
  item.device = DeviceKind::kCpu;
  item.sharing = Sharing::kShared;
  item.threads = 1;
  item.timeout = first.timeout;
  return item;
}

}  // namespace

// Keeps the first waiting attempt as the scheduler's item.
void Dispatcher::offer_analytic() {
  const Item* first = analytic_.first();
  if (batch_ || (first != nullptr && offered_ == first->id)) return;
  if (offered_) scheduler_.cancel(*std::exchange(offered_, std::nullopt));
  if (first == nullptr) return analyst_.rest();
  scheduler_.add(item_for_batch(*first));
  offered_ = first->id;
}

// Returns true if the row is or was that of an analytic attempt, so that the scheduler need not
// forget it. One that is being answered stays: the store knows that it has ended.
bool Dispatcher::forget_analytic(std::int64_t row) {
  return batch_ == row || analytic_.remove(row);
}

void Dispatcher::start_batch(const StartAction& action) {
  offered_.reset();
  if (starts_paused_ || preloader_.is_loading() || !changes_.empty()) {
    scheduler_.finished(action.item);
    return offer_analytic();
  }
  std::vector<OpenAttempt> attempts;
  // The batch is taken from the queue and not from the item, which may no longer be the first.
  while (attempts.size() < kBatch && analytic_.first() != nullptr) {
    const ItemId row = analytic_.first()->id;
    analytic_.remove(row);
    if (auto attempt = waiting_.take(row)) attempts.push_back(std::move(*attempt));
  }
  if (attempts.empty()) {
    scheduler_.finished(action.item);
    return;
  }
  batch_ = action.item;
  batch_timeout_ = attempts.front().timeout;
  analyst_.ask(
      std::move(attempts), action.lease,
      [this](Answers answers, std::vector<OpenAttempt> left, const std::string& no_worker) {
        end_batch(std::move(answers), std::move(left), no_worker);
      });
}

void Dispatcher::stop_batch(StopReason reason) {
  if (reason == StopReason::kTimeout) analyst_.stop({Timeout{batch_timeout_, ""}});
}

// The batch keeps its lease until it is stored, like attempts with processes.
void Dispatcher::end_batch(Answers answers, std::vector<OpenAttempt> left,
                           const std::string& no_worker) {
  const auto asked = std::make_shared<Answers>(std::move(answers));
  const auto store_all = [asked](Store& store) {
    std::vector<AttemptRecord> records;
    records.reserve(asked->size());
    for (const Analyst::Answer& answer : *asked) records.push_back(answer.record);
    return store.finish_all(records);
  };
  writer_.run(store_all, [this, asked, left = std::move(left),
                          no_worker](const Result<std::vector<bool>>& stored) mutable {
    scheduler_.finished(*batch_);
    batch_.reset();
    if (!answers_stored(*asked, stored)) {  // nothing is lost: they are asked again
      for (Analyst::Answer& answer : *asked) left.push_back(std::move(answer.attempt));
      pause_starts(timing_.store_retry);
    } else if (no_worker.empty()) {
      start_backoff_.reset();
      starts_work();
    } else {
      pause_for(no_worker);
    }
    for (OpenAttempt& attempt : left) {
      analytic_.add(item_of(attempt));
      waiting_.add(std::move(attempt));
    }
    offer_analytic();
    schedule_pump();
  });
}

bool Dispatcher::answers_stored(const Answers& answers, const Result<std::vector<bool>>& stored) {
  if (!stored) {
    spdlog::error("cannot store {} analytic attempts: {}; trying again in {}", answers.size(),
                  stored.error().message, to_human(timing_.store_retry));
    set_trouble(trouble_, "results cannot be stored: " + stored.error().message);
    return false;
  }
  set_trouble(trouble_, "");
  if (answers.empty()) return true;
  spdlog::info("{} analytic attempts ended, from {} on", answers.size(),
               answers.front().attempt.id);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!(*stored)[i]) continue;  // cancelled in the meantime
    const OpenAttempt& attempt = answers[i].attempt;
    hooks_.ended({attempt.id, attempt.trial_key, label_of_attempt(attempt), attempt.pass,
                  answers[i].record.ending});
  }
  return true;
}

}  // namespace sweepd
