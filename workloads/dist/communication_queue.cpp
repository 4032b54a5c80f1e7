#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "runner/base/clock.h"
#include "workloads/dist/in_place_queue.h"
#include "workloads/dist/stream_queue.h"
#include "workloads/torch/collectives.h"

namespace sweepd {
namespace {

class Handed final : public Pending {
 public:
  explicit Handed(std::function<void(Collectives&)> operation) : operation_(std::move(operation)) {}

  void run(Collectives& collectives) {
    const Instant begin = now_instant();
    std::exception_ptr thrown;
    try {
      operation_(collectives);
    } catch (...) {
      thrown = std::current_exception();
    }
    const Instant end = now_instant();
    operation_ = nullptr;  // frees its tensors here, on the thread that used them last
    const std::lock_guard lock(mutex_);
    elapsed_ms_ = static_cast<double>((end - begin).ns) / 1e6;
    thrown_ = thrown;
    through_ = true;
    changed_.notify_all();
  }

  void wait() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return through_; });
    if (thrown_) std::rethrow_exception(thrown_);
  }
  double elapsed_ms() override {
    const std::lock_guard lock(mutex_);
    return elapsed_ms_;
  }

 private:
  std::function<void(Collectives&)> operation_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool through_ = false;
  std::exception_ptr thrown_;
  double elapsed_ms_ = 0;
};

// One thread, which sleeps while it has nothing to do, because it shares the rank's cores with the
// backward.
class ThreadQueue final : public CommunicationQueue {
 public:
  explicit ThreadQueue(Collectives& collectives)
      : collectives_(collectives), thread_([this] { run(); }) {}
  ThreadQueue(const ThreadQueue&) = delete;
  ThreadQueue& operator=(const ThreadQueue&) = delete;
  ~ThreadQueue() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  std::shared_ptr<Pending> submit(std::function<void(Collectives&)> operation) override {
    auto handed = std::make_shared<Handed>(std::move(operation));
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(handed);
    }
    changed_.notify_all();
    return handed;
  }

 private:
  void run() {
    while (const std::shared_ptr<Handed> next = take()) next->run(collectives_);
  }
  std::shared_ptr<Handed> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return nullptr;
    std::shared_ptr<Handed> next = std::move(waiting_.front());
    waiting_.pop_front();
    return next;
  }

  Collectives& collectives_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Handed>> waiting_;
  bool ending_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace

std::unique_ptr<CommunicationQueue> make_communication_queue(Collectives& collectives,
                                                             Device& device) {
  if (device.kind() == "cuda") return make_stream_queue(collectives, device, QueueStream::kOwn);
  return std::make_unique<ThreadQueue>(collectives);
}

}  // namespace sweepd
