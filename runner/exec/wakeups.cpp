#include "runner/exec/wakeups.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace sweepd {
namespace {

UniqueFd checked(int fd, const char* what) {
  if (fd < 0) throw std::system_error(errno, std::generic_category(), what);
  return UniqueFd(fd);
}

}  // namespace

Wakeups::Wakeups()
    : epoll_(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      timer_(checked(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK),
                     "timerfd_create")) {
  watch(timer_.get());
}

void Wakeups::watch(int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) {
    throw std::system_error(errno, std::generic_category(), "epoll_ctl");
  }
}

void Wakeups::forget(int descriptor) {
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
}

void Wakeups::wake_at(Instant when) {
  itimerspec time{};
  const std::int64_t ns = std::max<std::int64_t>(1, when.ns);  // 0 would disarm it
  time.it_value = {ns / 1'000'000'000, ns % 1'000'000'000};
  ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &time, nullptr);
}

std::vector<int> Wakeups::take() {
  std::vector<int> readable;
  std::array<epoll_event, 64> ready{};
  const int n = ::epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()), 0);
  for (int i = 0; i < n; ++i) {
    const int descriptor = ready[static_cast<std::size_t>(i)].data.fd;
    if (descriptor != timer_.get()) {
      readable.push_back(descriptor);
      continue;
    }
    std::uint64_t expirations = 0;
    [[maybe_unused]] const ssize_t read = ::read(timer_.get(), &expirations, sizeof expirations);
  }
  return readable;
}

}  // namespace sweepd
