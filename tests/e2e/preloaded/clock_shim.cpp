// Preloaded into programs under test: moves their wall clock, and the one that counts suspensions,
// by the times in the file named by CLOCK_SHIM, so that a test can set the clock and suspend the
// machine.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

struct Shifts {
  std::atomic<std::int64_t> wall_s, boot_s;
};

const Shifts* shifts() {
  static const Shifts* const mapped = []() -> const Shifts* {
    const char* path = std::getenv("CLOCK_SHIM");
    const int fd = path == nullptr ? -1 : ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return nullptr;
    void* page = ::mmap(nullptr, sizeof(Shifts), PROT_READ, MAP_SHARED, fd, 0);
    ::close(fd);
    return page == MAP_FAILED ? nullptr : static_cast<const Shifts*>(page);
  }();
  return mapped;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, struct timespec* now) noexcept {
  using Function = int (*)(clockid_t, struct timespec*);
  static const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "clock_gettime"));
  const int result = real(clock, now);
  const Shifts* by = shifts();
  if (result != 0 || by == nullptr) return result;
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) now->tv_sec += by->wall_s;
  if (clock == CLOCK_BOOTTIME) now->tv_sec += by->boot_s;
  return 0;
}

time_t time(time_t* out) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(struct timeval* __restrict out, void* __restrict) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  *out = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}
}
