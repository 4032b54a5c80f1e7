// The command line of sweep-worker, shared with the test workers.
#pragma once

#include "runner/worker/run_attempt.h"

namespace sweepd {

int worker_main(int argc, char** argv, const WorkerParts& parts);

}  // namespace sweepd
