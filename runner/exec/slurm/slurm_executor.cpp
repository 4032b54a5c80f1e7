#include "runner/exec/slurm/slurm_executor.h"

#include <sys/eventfd.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "runner/base/unique_fd.h"
#include "runner/exec/slurm/pilots.h"
#include "runner/exec/slurm/side_shell.h"
#include "runner/exec/slurm/test_only.h"

namespace sweepd {
namespace {

// The pilots belong to their own thread, because the shared folder may keep a reader waiting.
// The daemon's thread sends it messages and reads its events and a copy of its state.
class SlurmExecutor final : public Executor, public PoolInspector {
 public:
  explicit SlurmExecutor(SlurmSettings settings);
  ~SlurmExecutor() override;

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

  const SlurmSettings settings_;
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

  TestOnly test_only_;  // has its own lock
  SideShell shell_;
  std::optional<Pilots> pilots_;  // of the thread, which makes it: that already reads the folder
  std::thread thread_;            // last: it uses all others
};

SlurmExecutor::SlurmExecutor(SlurmSettings settings)
    : settings_(std::move(settings)),
      shell_(settings_.commands, settings_.timing.command_limit,
             [this](Message message) { post(std::move(message)); }) {
  if (!wake_) throw std::system_error(errno, std::generic_category(), "eventfd");
  thread_ = std::thread([this] { serve(); });
}

SlurmExecutor::~SlurmExecutor() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  posted_.notify_one();
  thread_.join();
}

void SlurmExecutor::post(Message message) {
  {
    const std::lock_guard lock(mutex_);
    inbox_.push_back(std::move(message));
  }
  posted_.notify_one();
}

void SlurmExecutor::note_work(std::optional<Instant> since) {
  const std::lock_guard lock(mutex_);
  works_since_ = since;
}

void SlurmExecutor::work(const std::vector<Message>& messages) {
  for (const Message& message : messages) {
    note_work(now_instant());
    message();
  }
  note_work(now_instant());
  pilots_->tick(now_instant());
  note_work(std::nullopt);
}

void SlurmExecutor::serve() {
  note_work(now_instant());
  pilots_.emplace(settings_, shell_, now_instant());
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

void SlurmExecutor::publish() {
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

Adoption SlurmExecutor::adopt(const AttemptFolder& folder, const AttemptId& attempt, int) {
  std::promise<Adoption> found;
  post([&] { found.set_value(pilots_->adopt(folder, attempt, now_instant())); });
  return found.get_future().get();
}

std::vector<ExecutorEvent> SlurmExecutor::events() {
  const std::lock_guard lock(mutex_);
  // Under the lock, since otherwise a state published in between would be taken and its wake-up
  // would stay.
  eventfd_t count = 0;
  ::eventfd_read(wake_.get(), &count);
  return std::exchange(events_, {});
}

Result<PoolStatus> SlurmExecutor::status() {
  std::vector<std::string> command{"sinfo", "--noheader", kSinfoFormat};
  const std::string& partition = settings_.pool.slurm->partition;
  if (!partition.empty()) command.push_back("--partition=" + partition);
  const Said said = run_command(settings_.commands, command, settings_.timing.command_limit);
  if (!said.ok()) return Error{ErrorCode::kUnavailable, one_line(said.text)};
  std::vector<PoolNodes> nodes = parse_sinfo(said.text);
  if (nodes.empty() && !partition.empty()) {
    return Error{ErrorCode::kNotFound, "Slurm has no partition `" + partition + "` with nodes"};
  }
  const std::lock_guard lock(mutex_);
  return PoolStatus{std::move(nodes), allocations_};
}

Result<PoolEstimate> SlurmExecutor::estimate(const PoolRequest& request) {
  const SlurmPool& pool = *settings_.pool.slurm;
  const SlurmAsk ask = slurm_ask(pool, request.world_size, request.gpus, request.cores_per_rank);
  PoolEstimate estimate{allocation_text(pool, ask.nodes), refusal(settings_.pool, ask)};
  if (!estimate.never.empty()) return estimate;
  if (!shares_jobs(pool, request.timeout, settings_.timing.spare)) {
    estimate.asks += ", a job for each attempt because ";
    estimate.asks += request.timeout.ns == 0 ? "it has no timeout"
                                             : "a timeout of " + to_text(request.timeout) +
                                                   " leaves no room for others";
  }
  std::vector<std::string> command{"sbatch", "--test-only"};
  for (std::string& option : allocation_options(pool, ask.nodes)) {
    command.push_back(std::move(option));
  }
  command.emplace_back("--wrap=true");
  const auto run = [this](const std::vector<std::string>& asked) {
    return run_command(settings_.commands, asked, settings_.timing.command_limit);
  };
  const auto said = test_only_.ask(command, now_instant(), run);
  if (!said) {
    return Error{ErrorCode::kUnavailable,
                 "not asked, since Slurm was asked " + std::to_string(TestOnly::kMost) +
                     " times in the last " + to_text(TestOnly::kRemembered)};
  }
  if (said->ok()) {
    estimate.starts = parse_estimate(said->text);
  } else if (is_too_large(said->text)) {
    estimate.never = one_line(said->text);
  } else {
    return Error{ErrorCode::kUnavailable, one_line(said->text)};
  }
  return estimate;
}

std::optional<AttemptPlace> SlurmExecutor::place_of(const AttemptId& attempt) const {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(attempt);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

std::string SlurmExecutor::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

std::optional<Instant> SlurmExecutor::waits_for_folder_since() const {
  const std::lock_guard lock(mutex_);
  return works_since_;
}

}  // namespace

std::unique_ptr<Executor> make_slurm_executor(SlurmSettings settings) {
  return std::make_unique<SlurmExecutor>(std::move(settings));
}

}  // namespace sweepd
