// The executor of this host: ranks are processes. Each leads its own session, has stdin /dev/null,
// stdout and stderr appended to log.<rank>.txt, is bound to its cores, has the variables of
// rank_environment.h, and takes its place (runner/wire/rank_pidfile.h) before it becomes
// `<worker> --run <folder>`.
#pragma once

#include <filesystem>
#include <memory>

#include "runner/base/units.h"
#include "runner/exec/executor.h"

namespace sweepd {

struct LocalTiming {
  Duration load_limit = seconds(61);  // until `WorkerLoaded` is reported although nothing is loaded
  // Interval and limit of the searches for leftovers of killed ranks.
  Duration clear_interval = milliseconds(5);
  int max_clears = 200;
};

// `worker_program` is a path; PATH is not searched. One thread at a time.
std::unique_ptr<Executor> make_local_executor(std::filesystem::path worker_program,
                                              Prefork prefork = Prefork::kNo,
                                              LocalTiming timing = {});

}  // namespace sweepd
