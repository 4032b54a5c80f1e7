#include <unistd.h>

#include <cstdio>

#include "runner/worker/plugins/load.h"
#include "runner/worker/plugins/plugin_workload.h"
#include "runner/worker/worker_main.h"

int main(int argc, char** argv) {
  sweepd::Registry::instance().add(sweepd::plugin_entry());
  sweepd::add_shipped_workloads(sweepd::Registry::instance());
  const int code =
      sweepd::worker_main(argc, argv, {sweepd::Registry::instance(), sweepd::make_device});
#ifndef SWEEPD_UNDER_ASAN  // the sanitizer looks for leaks at exit
  // At exit LibTorch destroys its tables of operators entry by entry, and the next attempt would
  // wait for that. Everything of ours is closed by now.
  std::fflush(nullptr);
  ::_exit(code);
#endif
  return code;
}
