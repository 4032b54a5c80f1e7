// Watches a group of ranks from its own thread, and aborts the group when it reports an error.
// Without it a lost peer is never noticed: the device waits for the peer, and the host for the
// device. Includes no CUDA header.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "runner/base/clock.h"

namespace sweepd {

class PeerWatch {
 public:
  struct Group {
    std::function<std::string()> error;  // the group's error; empty: none
    std::function<void()> abort;         // ends the group's work on the device; called at most once
  };
  explicit PeerWatch(Group group, Duration every = milliseconds(100))
      : group_(std::move(group)), every_(every.ns), thread_([this] { watch(); }) {}
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;
  // Aborts the group if that has not happened, because its peers may be gone.
  ~PeerWatch() {
    {
      const std::lock_guard lock(state_);
      stopped_ = true;
    }
    wake_.notify_one();
    thread_.join();
    if (lost_.empty()) group_.abort();
  }

  // Runs `call`, which enqueues work of the group. Throws std::runtime_error if the group is lost.
  template <class Call>
  void run(Call&& call) {
    const std::lock_guard lock(calls_);
    check();
    call();
  }
  // Throws std::runtime_error if the group is lost. Call it after waiting for the device: an
  // aborted operation leaves no valid result.
  void check() const {
    const std::lock_guard lock(state_);
    if (!lost_.empty()) throw std::runtime_error(lost_);
  }

 private:
  void watch() {
    std::unique_lock lock(state_);
    while (!wake_.wait_for(lock, every_, [this] { return stopped_; })) {
      lock.unlock();
      std::string error = group_.error();
      lock.lock();
      if (error.empty()) continue;
      lost_ = std::move(error);
      lock.unlock();
      // A call that has begun may itself wait for the lost peer, so it is not waited for long.
      std::unique_lock calls(calls_, std::try_to_lock);
      for (int i = 0; i < 50 && !calls.owns_lock(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        (void)calls.try_lock();
      }
      group_.abort();
      return;
    }
  }

  Group group_;
  std::chrono::nanoseconds every_;
  std::mutex calls_;  // held while a call enqueues
  mutable std::mutex state_;
  std::condition_variable wake_;
  bool stopped_ = false;
  std::string lost_;  // why; empty: it is not
  std::thread thread_;
};

}  // namespace sweepd
