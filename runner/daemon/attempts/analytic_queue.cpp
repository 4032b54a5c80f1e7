#include "runner/daemon/attempts/analytic_queue.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "runner/daemon/attempts/item_of.h"

namespace sweepd {
namespace {

// Evaluating and storing a batch takes a few tens of milliseconds, and one fsync.
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

AnalyticQueue::AnalyticQueue(boost::asio::io_context& io, Executor& executor,
                             const Catalog& catalog, Writer& writer, Scheduler& scheduler,
                             WaitingAttempts& waiting, Hooks hooks)
    : catalog_(catalog),
      writer_(writer),
      scheduler_(scheduler),
      waiting_(waiting),
      hooks_(std::move(hooks)),
      analyst_(io, executor, catalog) {}

void AnalyticQueue::offer() {
  const Item* first = queue_.first();
  if (batch_ || (first != nullptr && offered_ == first->id)) return;
  if (offered_) scheduler_.cancel(*std::exchange(offered_, std::nullopt));
  if (first == nullptr) return analyst_.rest();
  scheduler_.add(item_for_batch(*first));
  offered_ = first->id;
}

bool AnalyticQueue::act(const StartAction& action) {
  if (action.item != offered_) return false;
  offered_.reset();
  if (!hooks_.may_start()) {
    scheduler_.finished(action.item);
    offer();
    return true;
  }
  std::vector<OpenAttempt> attempts;
  // The batch is taken from the queue and not from the item, which may no longer be the first.
  while (attempts.size() < kBatch && queue_.first() != nullptr) {
    const ItemId row = queue_.first()->id;
    queue_.remove(row);
    if (auto attempt = waiting_.take(row)) attempts.push_back(std::move(*attempt));
  }
  if (attempts.empty()) {
    scheduler_.finished(action.item);
    return true;
  }
  batch_ = action.item;
  batch_timeout_ = attempts.front().timeout;
  analyst_.ask(
      std::move(attempts), action.lease,
      [this](Answers answers, std::vector<OpenAttempt> left, const std::string& no_worker) {
        answered(std::move(answers), std::move(left), no_worker);
      });
  return true;
}

bool AnalyticQueue::act(const StopAction& action) {
  if (action.item != batch_) return false;
  if (action.reason == StopReason::kTimeout) analyst_.stop({Timeout{batch_timeout_, ""}});
  return true;
}

bool AnalyticQueue::act(const RefuseAction& action) {
  if (action.item != offered_) return false;
  offered_.reset();
  queue_.remove(action.item);
  offer();
  return true;
}

// The batch keeps its lease until it is stored, like attempts with processes.
void AnalyticQueue::answered(Answers answers, std::vector<OpenAttempt> left,
                             const std::string& no_worker) {
  const auto asked = storing_ = std::make_shared<Answers>(std::move(answers));
  const auto store_all = [asked](Store& store) {
    std::vector<AttemptRecord> records;
    records.reserve(asked->size());
    for (const Analyst::Answer& answer : *asked) records.push_back(answer.record);
    return store.finish_all(records);
  };
  writer_.run(store_all, [this, asked, left = std::move(left),
                          no_worker](const Result<std::vector<bool>>& stored) mutable {
    scheduler_.finished(*std::exchange(batch_, std::nullopt));
    storing_ = nullptr;
    if (!stored) {  // nothing is lost: the next daemon asks again
      for (Analyst::Answer& answer : *asked) left.push_back(std::move(answer.attempt));
      hooks_.refused(stored.error().message);
    } else {
      report_stored(*asked, *stored);
      no_worker.empty() ? hooks_.answered() : hooks_.no_worker(no_worker);
    }
    for (OpenAttempt& attempt : left) hooks_.left(std::move(attempt));
    offer();
    hooks_.changed();
  });
}

bool AnalyticQueue::is_storing(const std::unordered_set<TrialKey>& trials) const {
  return storing_ && std::ranges::any_of(*storing_, [&](const Analyst::Answer& answer) {
           return trials.contains(answer.attempt.trial_key);
         });
}

void AnalyticQueue::report_stored(const Answers& answers, const std::vector<bool>& stored) {
  if (answers.empty()) return;
  spdlog::info("{} analytic attempts ended, from {} on", answers.size(),
               answers.front().attempt.id);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    // If not, it was cancelled in the meantime.
    if (stored[i]) hooks_.stored(answers[i].attempt, answers[i].record.ending);
  }
}

}  // namespace sweepd
