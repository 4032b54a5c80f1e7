#include "runner/base/process_age.h"

#include <unistd.h>

#include <ctime>

#include "runner/base/proc.h"

namespace sweepd {

namespace {
Duration time_of(const timespec& time) {
  return Duration{time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec};
}
}  // namespace

std::optional<Duration> process_age(pid_t pid) {
  const auto stat = read_proc_stat(pid);
  const long ticks_per_s = ::sysconf(_SC_CLK_TCK);
  timespec now{};
  if (!stat || ticks_per_s <= 0 || ::clock_gettime(CLOCK_BOOTTIME, &now) != 0) return std::nullopt;
  const auto started_ns = static_cast<std::int64_t>(stat->start_ticks) *
                          (1'000'000'000 / static_cast<std::int64_t>(ticks_per_s));
  return Duration{time_of(now).ns - started_ns};
}

Duration suspended_since_boot() {
  timespec with{}, without{};
  if (::clock_gettime(CLOCK_MONOTONIC, &without) != 0 ||
      ::clock_gettime(CLOCK_BOOTTIME, &with) != 0)
    return {};
  return Duration{time_of(with).ns - time_of(without).ns};
}

}  // namespace sweepd
