#include "runner/exec/spawner.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "runner/exec/signals_blocked.h"

namespace sweepd {

Spawner::Spawner() : done_event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!done_event_) throw std::system_error(errno, std::generic_category(), "eventfd");
}

Spawner::~Spawner() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Spawner::spawn(std::uint64_t ticket, SpawnRequest request) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back({ticket, std::move(request)});
  }
  changed_.notify_one();
  if (!thread_.joinable()) {
    const SignalsBlocked blocked;  // the new thread inherits it: signals are for the event loop
    thread_ = std::thread([this] { work(); });
  }
}

std::vector<Spawner::Done> Spawner::take() {
  const std::lock_guard lock(mutex_);
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t read = ::read(done_event_.get(), &count, sizeof count);
  return std::exchange(done_, {});
}

void Spawner::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return over_ || !jobs_.empty(); });
    if (over_) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    auto spawned = sweepd::spawn(job.request);
    lock.lock();
    done_.push_back({job.ticket, std::move(spawned)});
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(done_event_.get(), &one, sizeof one);
  }
}

}  // namespace sweepd
