// `sweep-worker --serve-job JOB_FOLDER RUNS`: a loaded worker in a job of a Slurm pool. It forks
// the attempts that may be forked (exec/forkable.h), which saves each of them its own step
// (about 0.2 s of srun) and the loading of LibTorch. serve_forks.h says why a fork measures the
// same.
//
// The pilot (exec/slurm/pilot_script.cpp) starts it in a step of one task, on the first node, and
// gives it lines on stdin:
//
//   fork NUMBER ATTEMPT PORT   the order NUMBER: run ATTEMPT, whose folder is RUNS/ATTEMPT, with
//                              this MASTER_PORT
//   stop, kill                 the running attempt: SIGTERM to the worker, or SIGKILL to all of it
//
// It answers on stdout with a line each:
//
//   ready         once, when it has loaded
//   over NUMBER   the order's attempt has ended with all its processes
//   stale         the worker's file was replaced since it loaded. It ends, and began nothing
//
// It writes the same files as the script of a step: `began.0` and `exit.0` in the
// order's folder, and `report` (exec/pilot/job_folder.h). It ends when stdin does, and takes a
// running attempt with it. An end of this process also ends the attempt.
#pragma once

#include <filesystem>
#include <optional>

namespace sweepd {

// Returns in each fork with the attempt's folder. Returns nothing in the server, once stdin has
// ended, or if Slurm ends the step.
std::optional<std::filesystem::path> serve_job(const std::filesystem::path& job,
                                               const std::filesystem::path& runs);

}  // namespace sweepd
