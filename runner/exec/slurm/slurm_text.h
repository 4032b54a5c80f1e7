// Parses the output of Slurm's commands. Pure. The formats are set with --format, and times with
// SLURM_TIME_FORMAT=%s, so that no version's layout matters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/exec/pilot/cluster_manager.h"

namespace sweepd {

inline constexpr const char* kSqueueFormat = "--format=%i|%j|%T|%e|%S|%N|%r";
inline constexpr const char* kSinfoFormat = "--format=%D|%T|%c|%m|%G|%N|%E";

// Lines that are no jobs, such as warnings, are skipped.
std::vector<QueuedJob> parse_squeue(std::string_view text);

// From `scontrol show job`.
EndedJob parse_scontrol_job(std::string_view text);
bool has_ended(const EndedJob& job);  // else scontrol was asked too early
JobCause slurm_cause(const EndedJob& end);

// Reads what srun printed. Slurm calls it cancelled when it ends a step that used too much memory.
StepWords read_srun(std::string_view output);

// The number that `sbatch --parsable` prints.
std::optional<std::int64_t> parse_sbatch(std::string_view text);

std::vector<PoolNodes> parse_sinfo(std::string_view text);

// Of `sbatch --test-only`: "sbatch: Job 6 to start at 2026-11-24T07:00:00 using ...", local time.
std::optional<WallTime> parse_estimate(std::string_view text);

// Whether the command could not reach the controller, so that its answer does not count.
bool is_unreachable(std::string_view text);
// Whether sbatch refused resources that the pool will never have, rather than the user or the
// partition.
bool is_too_large(std::string_view text);
// Whether sbatch will refuse the same configuration again: a partition, an account, a QOS or an
// option that does not exist. Not temporary reasons, such as a limit on a user's jobs or a
// partition that an administrator closed. Unknown messages (such as of a site's plugins) count as
// temporary.
bool is_refused_for_good(std::string_view text);
// Whether a job that waits for this reason will never start.
bool waits_for_ever(std::string_view reason);

// "sbatch: error: A; sbatch: error: B", at most 1,000 bytes.
std::string one_line(std::string_view text);
// The last line that is not blank, at most 1,000 bytes.
std::string last_line(std::string_view text);

}  // namespace sweepd
