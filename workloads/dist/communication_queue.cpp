#include "workloads/dist/communication_queue.h"

#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "runner/base/clock.h"
#include "workloads/nn/torch_device.h"
#include "workloads/torch/collectives.h"

namespace sweepd {
namespace {

enum class QueueStream { kOwn, kCurrent };

class Enqueued final : public Pending {
 public:
  explicit Enqueued(at::Device device)
      : device_(device),
        begin_(device.type(), c10::EventFlag::BACKEND_DEFAULT),  // records times
        end_(device.type(), c10::EventFlag::BACKEND_DEFAULT) {}

  void run(Collectives& collectives, const std::function<void(Collectives&)>& operation,
           const c10::Stream& stream) {
    begin_.record(stream);
    operation(collectives);
    end_.record(stream);
  }
  void wait() override {
    const c10::impl::VirtualGuardImpl guard(device_.type());
    end_.block(guard.getStream(device_));
  }
  double elapsed_ms() override { return begin_.elapsedTime(end_); }

 private:
  at::Device device_;
  c10::Event begin_, end_;
};

// The queue for a device with streams: operations are enqueued at once, on their own stream that
// waits for the work enqueued before them, or on the current one. An operation's tensors must live
// until wait() has been called, or until the current stream has been synchronised. Uses torch's
// device guards, so that it needs no CUDA header and is part of the program itself.
class StreamQueue final : public CommunicationQueue {
 public:
  StreamQueue(Collectives& collectives, at::Device device, QueueStream stream)
      : collectives_(collectives), device_(device), guard_(device.type()) {
    // High priority: work that waits for it leads to the next step, and work that it delays does
    // not.
    if (stream == QueueStream::kOwn) {
      own_ = guard_.getStreamFromGlobalPool(device, /*isHighPriority=*/true);
    }
  }
  StreamQueue(const StreamQueue&) = delete;
  StreamQueue& operator=(const StreamQueue&) = delete;
  ~StreamQueue() override {
    if (own_) guard_.synchronizeStream(*own_);
  }

  std::shared_ptr<Pending> submit(std::function<void(Collectives&)> operation) override {
    const c10::Stream current = guard_.getStream(device_);
    auto enqueued = std::make_shared<Enqueued>(device_);
    if (!own_) {
      enqueued->run(collectives_, operation, current);
      return enqueued;
    }
    c10::Event so_far(device_.type());
    so_far.record(current);
    so_far.block(*own_);
    const c10::StreamGuard side(*own_);
    enqueued->run(collectives_, operation, *own_);
    return enqueued;
  }

 private:
  Collectives& collectives_;
  at::Device device_;
  c10::impl::VirtualGuardImpl guard_;
  std::optional<c10::Stream> own_;
};

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

class Done final : public Pending {
 public:
  explicit Done(double elapsed_ms) : elapsed_ms_(elapsed_ms) {}
  void wait() override {}
  double elapsed_ms() override { return elapsed_ms_; }

 private:
  double elapsed_ms_;
};

class InPlaceQueue final : public CommunicationQueue {
 public:
  explicit InPlaceQueue(Collectives& collectives) : collectives_(collectives) {}
  std::shared_ptr<Pending> submit(std::function<void(Collectives&)> operation) override {
    const Instant begin = now_instant();
    operation(collectives_);
    return std::make_shared<Done>(static_cast<double>((now_instant() - begin).ns) / 1e6);
  }

 private:
  Collectives& collectives_;
};

}  // namespace

std::unique_ptr<CommunicationQueue> make_communication_queue(Collectives& collectives,
                                                             Device& device) {
  if (device.kind() == "cuda") {
    return std::make_unique<StreamQueue>(collectives, torch_device(device), QueueStream::kOwn);
  }
  return std::make_unique<ThreadQueue>(collectives);
}

std::unique_ptr<CommunicationQueue> make_in_place_queue(Collectives& collectives, Device& device) {
  if (device.kind() == "cuda") {
    return std::make_unique<StreamQueue>(collectives, torch_device(device), QueueStream::kCurrent);
  }
  return std::make_unique<InPlaceQueue>(collectives);
}

}  // namespace sweepd
