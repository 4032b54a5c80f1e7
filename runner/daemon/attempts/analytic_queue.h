// The queued attempts of analytic workloads. They have no processes: when the first of them gets a
// lease, a batch is answered by one worker and stored in one transaction. In the scheduler the
// first represents all. Its item shares the host only with other shared items, so that no timing is
// disturbed. Lives on the event loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "runner/daemon/attempts/analyst.h"
#include "runner/daemon/attempts/waiting_attempts.h"
#include "runner/daemon/threads/writer.h"
#include "runner/sched/queue.h"
#include "runner/sched/scheduler.h"

namespace sweepd {

class AnalyticQueue {
 public:
  struct Hooks {
    std::function<bool()> may_start;
    std::function<void(const OpenAttempt&, const Ending&)> stored;
    std::function<void(OpenAttempt)> left;                // not answered: it waits again
    std::function<void()> answered;                       // a batch is stored
    std::function<void(const std::string& why)> refused;  // by the database; it is requested again
    std::function<void(const std::string& why)> no_worker;  // none could be asked
    std::function<void()> changed;                          // call the scheduler
  };

  // Every attempt of the queue is also in `waiting`.
  AnalyticQueue(boost::asio::io_context& io, Executor& executor, const Catalog& catalog,
                Writer& writer, Scheduler& scheduler, WaitingAttempts& waiting, Hooks hooks);

  void add(const Item& item) { queue_.add(item); }
  // Call after `add` and `forget`: keeps the first attempt as the scheduler's item.
  void offer();
  // Returns true if the row is or was that of an analytic attempt, so that the scheduler need not
  // forget it. One that is being answered stays: the store has its end.
  bool forget(std::int64_t row) { return batch_ == row || queue_.remove(row); }

  // Each returns true if the action is for this queue.
  bool act(const StartAction& action);
  bool act(const StopAction& action);
  // The machine can never run the item. The attempt stays in `waiting`.
  bool act(const RefuseAction& action);

  // Waiting attempts that the scheduler does not count.
  std::size_t uncounted() const { return queue_.size() - (offered_ ? 1 : 0); }
  bool is_answering() const { return batch_.has_value(); }
  // Whether answers to one of these trials are on their way to the database.
  bool is_storing(const std::unordered_set<TrialKey>& trials) const;

 private:
  using Answers = std::vector<Analyst::Answer>;
  void answered(Answers answers, std::vector<OpenAttempt> left, const std::string& no_worker);
  void report_stored(const Answers& answers, const std::vector<bool>& stored);

  const Catalog& catalog_;
  Writer& writer_;
  Scheduler& scheduler_;
  WaitingAttempts& waiting_;
  Hooks hooks_;
  Analyst analyst_;
  WaitingQueue<> queue_;
  std::optional<std::int64_t> offered_, batch_;  // waits in the scheduler; has its lease
  Duration batch_timeout_{0};
  std::shared_ptr<Answers> storing_;  // nullptr: nothing
};

}  // namespace sweepd
