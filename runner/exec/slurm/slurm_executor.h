// The executor of a pool of a Slurm cluster: exec/pilot with Slurm as the manager
// (slurm_manager.h).
//
// Pilot jobs. One `sbatch` is one allocation, and a small shell script in it, the pilot, runs one
// attempt after the other, each by an `srun` with a fresh process for every rank. The pilot ends
// when it has had no work for `SlurmPool::idle`, when the waiting attempts do not fit into its
// remaining time or its nodes, or on request. An attempt is not begun in an allocation that ends
// before the attempt's `timeout` does, unless even a new one would.
//
// How many nodes. On GPUs a rank has a GPU, so `world_size` / gpus_per_node. On the CPU a node gets
// as many ranks as there are cores for among cpus_per_node (`threads` each, at least one); all
// ranks if cpus_per_node is 0. Every rank gets an equal share of its node's cores. A pilot runs the
// attempts that need as many nodes as it has.
//
// Forks. An attempt that may be forked (forkable.h) and needs one node has no separate srun: the
// first one makes the pilot start a step in which a worker loads, and that forks this attempt and
// those that follow (worker/forks/serve_job.h). If there is none, an attempt gets its own step:
// after the worker was lost three times in a row, for a minute, then for two, and so on. As long as
// the attempts of a job need no LibTorch, it is the worker without it.
//
// For the scheduler: the pool has `max_jobs` slots. An attempt of any size takes one from `start`
// until AttemptOver, AttemptLost or AttemptNotStarted. A rank uses the cores and GPUs that Slurm
// bound it to, and reports them. AttemptRequest::machine and host_cores may be empty: the worker
// then finds out both. The attempt's folder lies in the pool's `runs`.
//
// The events and their causes:
//   AttemptStarted       all ranks have begun. The wait in Slurm's queue is before it.
//   AttemptNotStarted    kFailedPrecondition: Slurm says that no node of the pool is large enough.
//                        Else kUnavailable: `kill` while it waited, or temporary failures: sbatch
//                        refused, the prologue or the script's beginning failed. With Slurm's own
//                        words.
//   AttemptLost          the job ended during the attempt. NODE_FAIL, PREEMPTED, BOOT_FAIL and a
//                        lost job have `again`; TIMEOUT is Timeout, OUT_OF_MEMORY is Oom, CANCELLED
//                        is Cancelled, all others are Failed. Those with `again` and CANCELLED are
//                        also sent for a job that has not begun, for the attempt it was meant for:
//                        the first that waits for the first such job, and so on.
//                        Permanent failures are Failed, with `next_too`.
// After a job that ended before its script began, or that sbatch refused, one more is submitted at
// a time until one begins.
//
// Hanging scripts, as on a node that has lost the shared folder. A job that is RUNNING and follows
// no order for `PilotTiming::obey` is cancelled (watchdog.h). The attempt that it was
// given has AttemptLost with `again`.
//
// Permanent failures. Attempts wait, with the reason shown, for conditions that pass or that the
// cluster's administrators repair (an unreachable controller, a limit on a user's jobs, a closed
// partition, messages of a site's plugin). Only failures that the next attempt would meet too
// become outcomes: sbatch refuses what the configuration asks for (is_refused_for_good), the
// prologue fails, the job cannot write to `runs`, srun cannot run a step, the worker cannot be
// loaded on the node. A failure is permanent after three in a row of which the last came a minute
// after the first (doubts.h), and ends the attempt that the job was for (failures.h). A job
// that begins, or a rank that loads on that node, resets the count.
//
// While Slurm does not answer, nothing is decided; `trouble` reports it, and running attempts
// continue.
//
// Files. `<runs>/jobs/<owner>-<pool>/<job's name>/` holds for each job its script, its output, and
// the messages between daemon and pilot: small files that are replaced by rename (job_folder.h).
// Nothing listens on a port. The folder is written before `sbatch` runs and the job's name is that
// of the folder, so a job is found again after the daemon's death, and none is submitted twice.
//
// While the folder of jobs cannot be read, as before NFS is mounted, the attempts that an earlier
// daemon gave to the pool wait, and nothing else starts; `trouble` reports it. `<runs>` itself is
// never created.
//
// Commands: sbatch, squeue, scontrol, scancel, and sinfo for `status`. While a job exists, one
// `squeue` for all jobs of the pool every `SlurmPool::poll`; `scontrol` once for a job that
// vanished. No accounting (sacct).
#pragma once

#include <memory>

#include "runner/exec/executor.h"
#include "runner/exec/pilot/pilot_settings.h"

namespace sweepd {

// Finds the jobs of an earlier daemon again. Has an `inspector`. The executor's own threads use
// folders and commands, so that only `adopt` waits for them.
std::unique_ptr<Executor> make_slurm_executor(PilotSettings settings);

}  // namespace sweepd
