#include "runner/exec/pilot/pilot_executor.h"

#include <sys/eventfd.h>

#include <condition_variable>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "runner/exec/pilot/pilots.h"

namespace sweepd {
namespace {

class PilotExecutor final : public Executor, public PoolInspector {
 public:
  PilotExecutor(PilotSettings settings, const MakeManager& make);
  ~PilotExecutor() override;

  void start(const AttemptFolder& folder, const AttemptRequest& request) override {
    post([this, folder, request] { pilots_->start(folder, request, now_instant()); });
  }
  Adoption adopt(const AttemptFolder& folder, const AttemptId& attempt, int) override;
  void stop(const AttemptId& attempt) override {
    post([this, attempt] { pilots_->stop(attempt); });
  }
  void take_back(const AttemptId& attempt) override {
    post([this, attempt] { pilots_->take_back(attempt); });
  }
  void kill(const AttemptId& attempt) override {
    post([this, attempt] { pilots_->kill(attempt); });
  }
  std::set<int> suspended(const AttemptId&) override { return {}; }  // another host knows
  int descriptor() const override { return wake_.get(); }
  std::vector<ExecutorEvent> events() override;
  PoolInspector* inspector() override { return this; }

  Result<PoolStatus> status() override;
  Result<PoolEstimate> estimate(const PoolRequest& request) override;
  std::optional<AttemptPlace> place_of(const AttemptId& attempt) const override;
  std::string trouble() const override;
  std::optional<Instant> waits_for_folder_since() const override;

 private:
  using Message = std::function<void()>;
  void post(Message message);
  void serve();
  void work(const std::vector<Message>& messages);
  void note_work(std::optional<Instant> since);
  void publish();

  const PilotSettings settings_;
  UniqueFd wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable posted_;
  std::vector<Message> inbox_;
  bool ending_ = false;
  std::vector<ExecutorEvent> events_;
  std::map<AttemptId, AttemptPlace> places_;
  std::vector<PoolAllocation> allocations_;
  std::string trouble_;
  std::optional<Instant> works_since_;  // at one message, or at one look at the jobs

  std::unique_ptr<ClusterManager> manager_;
  std::optional<Pilots> pilots_;  // of the thread, which makes it: that already reads the folder
  std::thread thread_;            // last: it uses all others
};

PilotExecutor::PilotExecutor(PilotSettings settings, const MakeManager& make)
    : settings_(std::move(settings)),
      manager_(make([this](Message message) { post(std::move(message)); })) {
  if (!wake_) throw std::system_error(errno, std::generic_category(), "eventfd");
  thread_ = std::thread([this] { serve(); });
}

PilotExecutor::~PilotExecutor() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  posted_.notify_one();
  thread_.join();
}

void PilotExecutor::post(Message message) {
  {
    const std::lock_guard lock(mutex_);
    inbox_.push_back(std::move(message));
  }
  posted_.notify_one();
}

void PilotExecutor::note_work(std::optional<Instant> since) {
  const std::lock_guard lock(mutex_);
  works_since_ = since;
}

void PilotExecutor::work(const std::vector<Message>& messages) {
  for (const Message& message : messages) {
    note_work(now_instant());
    message();
  }
  note_work(now_instant());
  pilots_->tick(now_instant());
  note_work(std::nullopt);
}

void PilotExecutor::serve() {
  note_work(now_instant());
  pilots_.emplace(settings_, *manager_, now_instant());
  note_work(std::nullopt);
  while (true) {
    std::vector<Message> messages;
    {
      std::unique_lock lock(mutex_);
      const auto woken = [this] { return ending_ || !inbox_.empty(); };
      if (const auto next = pilots_->next(now_instant())) {
        const Duration left = *next - now_instant();
        posted_.wait_for(lock, std::chrono::nanoseconds(left.ns), woken);
      } else {
        posted_.wait(lock, woken);
      }
      if (ending_) return;
      messages = std::exchange(inbox_, {});
    }
    work(messages);
    publish();
  }
}

void PilotExecutor::publish() {
  std::vector<ExecutorEvent> events = pilots_->take_events();
  std::map<AttemptId, AttemptPlace> places = pilots_->places();
  std::vector<PoolAllocation> allocations = pilots_->allocations();
  const std::lock_guard lock(mutex_);
  places_ = std::move(places);
  allocations_ = std::move(allocations);
  trouble_ = pilots_->trouble();
  if (events.empty()) return;
  events_.insert(events_.end(), std::make_move_iterator(events.begin()),
                 std::make_move_iterator(events.end()));
  ::eventfd_write(wake_.get(), 1);
}

Adoption PilotExecutor::adopt(const AttemptFolder& folder, const AttemptId& attempt, int) {
  std::promise<Adoption> found;
  post([&] { found.set_value(pilots_->adopt(folder, attempt, now_instant())); });
  return found.get_future().get();
}

std::vector<ExecutorEvent> PilotExecutor::events() {
  const std::lock_guard lock(mutex_);
  // Under the lock, since otherwise a state published in between would be taken and its wake-up
  // would stay.
  eventfd_t count = 0;
  ::eventfd_read(wake_.get(), &count);
  return std::exchange(events_, {});
}

Result<PoolStatus> PilotExecutor::status() {
  auto nodes = manager_->nodes();
  if (!nodes) return nodes.error();
  const std::lock_guard lock(mutex_);
  return PoolStatus{std::move(*nodes), allocations_};
}

Result<PoolEstimate> PilotExecutor::estimate(const PoolRequest& request) {
  const SlurmPool& pool = *settings_.pool.slurm;
  const AttemptNeeds needs =
      compute_needs(pool, request.world_size, request.gpus, request.cores_per_rank);
  PoolEstimate estimate{allocation_text(pool, needs.nodes), refusal(settings_.pool, needs)};
  if (!estimate.never.empty()) return estimate;
  if (!shares_jobs(pool, request.timeout, settings_.timing.spare)) {
    estimate.asks += ", a job for each attempt because ";
    estimate.asks += request.timeout.ns == 0 ? "it has no timeout"
                                             : "a timeout of " + to_text(request.timeout) +
                                                   " leaves no room for others";
  }
  if (const auto asked = manager_->estimate(needs.nodes, estimate); !asked) return asked.error();
  return estimate;
}

std::optional<AttemptPlace> PilotExecutor::place_of(const AttemptId& attempt) const {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(attempt);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

std::string PilotExecutor::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

std::optional<Instant> PilotExecutor::waits_for_folder_since() const {
  const std::lock_guard lock(mutex_);
  return works_since_;
}

}  // namespace

std::unique_ptr<Executor> make_pilot_executor(PilotSettings settings, const MakeManager& make) {
  return std::make_unique<PilotExecutor>(std::move(settings), make);
}

}  // namespace sweepd
