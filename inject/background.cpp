#include "inject/background.h"

#include <pthread.h>

#include <cstdlib>
#include <ctime>

#include "inject/cupti.h"
#include "inject/no_signals.h"
#include "inject/recorder.h"

namespace sweepd::inject {
namespace {

constexpr timespec kPeriod{0, 100'000'000};
constexpr std::size_t kStackBytes = 512U << 10;

void* write_now_and_then(void*) {
  while (records_here()) {
    ::nanosleep(&kPeriod, nullptr);
    fetch_from_cupti(Fetch::kComplete);
    write_out();
  }
  return nullptr;
}

void finish() {
  if (!records_here()) return;
  fetch_from_cupti(Fetch::kAll);
  stop_recording(true);
}

}  // namespace

void start_background() {
  end_at_exit();
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return;
  ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  ::pthread_attr_setstacksize(&attributes, kStackBytes);
  {
    const NoSignals none;  // the program's handlers must not run on the new thread
    pthread_t thread;
    ::pthread_create(&thread, &attributes, &write_now_and_then, nullptr);
  }
  ::pthread_attr_destroy(&attributes);
}

void end_at_exit() {
  std::atexit(&finish);
}

}  // namespace sweepd::inject
