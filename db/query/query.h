// Read-only queries. A Reader owns one read-only connection; use one per thread. A query that takes
// longer than `set_time_limit` allows is interrupted (ErrorCode::kResourceExhausted).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "runner/model/attempt/attempt_row.h"
#include "runner/model/attempt/notification.h"
#include "runner/model/attempt/result_set.h"
#include "runner/model/attempt/step_kernels.h"
#include "runner/model/attempt/step_profile.h"
#include "runner/model/attempt/what_ran.h"
#include "runner/model/machine/noise_floor.h"
#include "runner/model/measurement/measured_with.h"
#include "runner/model/measurement/memory_picture.h"
#include "runner/model/sweep/changes.h"
#include "runner/model/sweep/estimate.h"
#include "runner/model/sweep/eta.h"
#include "runner/model/sweep/reference.h"
#include "runner/model/sweep/sentinel.h"
#include "runner/model/sweep/table.h"
#include "runner/model/vocabulary/outcome.h"
#include "runner/model/vocabulary/pool_name.h"

namespace sweepd {

// The request of `sweepctl show ATTEMPT --kernels`: rows of a profile and their layout.
enum class KernelGrouping {
  kName,    // one row a kernel, by its short name
  kLaunch,  // one row a kernel and launch shape
  kRange,   // one row a range
  kClass,   // one row a class
};

enum class KernelLayout {
  kNsys,     // Time %, Total, Instances, Avg, Med, Min, Max, StdDev, Name: `nsys stats`
  kPytorch,  // Name, Self CPU %, Self CPU, CPU total ..., # of Calls: torch.profiler
};

struct KernelView {
  KernelGrouping by = KernelGrouping::kName;
  KernelLayout layout = KernelLayout::kNsys;
  std::string phase;  // "" is the whole step
  int rank = 0;
  std::int64_t top = 0;  // show this many of the largest rows; 0 means all
};

// A done timing attempt of a program, whose output can be read again.
struct StoredOutputRow {
  std::int64_t row = 0;
  AttemptId id;
  std::string pool;
  // The parameters that say how it is read, as the sweep that was submitted last has them.
  std::vector<std::pair<std::string, std::string>> reading;
};

// The result of a memory pass, with one picture for each rank that has a timeline.
struct MemoryDetails {
  std::vector<MemoryPicture> pictures;
  std::vector<Table> tables;
};

// A trial that a sweep would have, and the state of its attempts before it is submitted.
struct WantedTrial {
  const TrialKey* key = nullptr;  // must outlive the call, as must the next ones
  std::int64_t repeats = 1;
  const Trial* trial = nullptr;
  const std::string* base_key = nullptr;  // its key without the program's content; may be null
};
struct TrialStanding {
  std::int64_t reused = 0;               // `done` on this host
  std::int64_t queued = 0, running = 0;  // open for another sweep
  std::int64_t held = 0;                 // of `queued`: a paused sweep's
  std::array<std::int64_t, 3> to_run{};  // by Pass
  std::int64_t skipped = 0;              // of a trial that killed its workers too often
  std::string skipped_because;           // "" if there is none
  std::optional<Outcome> last;           // of one that runs again because it is not `done`
  Changes changes;                       // of those that run again because what runs changed
  std::int64_t all_to_run() const { return to_run[0] + to_run[1] + to_run[2]; }
};

// The notes of a table over several ranks.
struct RanksSeen {
  bool several = false;  // some done timing attempt has more than one
  // True if the ranks of such an attempt were independent: each ran the whole step. False for a
  // program, for which this is unknown.
  bool apart = false;
};

// The code, machines and programs behind a sweep's results.
struct RanInSweep {
  std::int64_t codes = 0;     // versions of the workload's code
  std::int64_t machines = 0;  // the most on one host and kind of device, where they are known
  // Trials of an older program than that of the submission, which accepted any result.
  std::int64_t older_programs = 0;
  std::vector<std::string> changed;  // the changed parts of these programs: "mm.py"
  // Attempts that were to replace a result and failed, so that the result before counts.
  std::int64_t not_measured_again = 0;
  // Points of which a newer result exists than the sweep's own.
  std::int64_t measured_later = 0;
};

struct SweepTrial {
  TrialKey key;
  Trial trial;
  std::vector<Pass> passes;
};

// A database's size by table, and the attempts of each sweep.
struct DatabaseUsage {
  struct Part {
    std::string what;  // "samples"
    Bytes size;
  };
  std::vector<Part> parts;  // the largest first; empty if this SQLite lacks `dbstat`
  Bytes unused;             // pages that new results will fill
  struct OfSweep {
    SweepId id;
    std::string name;
    WallTime submitted;
    std::int64_t trials = 0;
    std::vector<AttemptId> attempts;
  };
  // Each attempt counts for the first sweep that has it, or that has its trial.
  std::vector<OfSweep> sweeps;
};

struct DoneAttempt {
  std::int64_t row = 0;
  AttemptId id;
};

class Reader {
 public:
  static Result<std::unique_ptr<Reader>> open(const std::filesystem::path& file,
                                              const Catalog& catalog);
  ~Reader();
  void set_time_limit(Duration limit);
  // Gives back the memory of pages that were read, if it is much. They stay in the kernel's cache.
  void release_pages();

  Result<std::vector<SweepRow>> sweeps(std::int64_t limit);  // newest first
  // Reads every page of the database: about a second per gigabyte.
  Result<DatabaseUsage> usage();
  // Returns the next attempts after a row that are `done` and ended before a time, by row.
  Result<std::vector<DoneAttempt>> done_before(WallTime ended, std::int64_t after_row,
                                               std::int64_t limit);
  // `who` is a full id, a unique prefix of one (4 digits or more), or a name (its latest sweep); ""
  // is the latest sweep of all that is no sentinel's. `@previous` behind it is the one of the same
  // name before that. Errors: not found, with the nearest name; ambiguous, with the candidates.
  Result<SweepRow> find_sweep(const std::string& who);
  Result<std::vector<TableSpec>> tables_of(const SweepId& sweep);
  Result<std::vector<PlotSpec>> plots_of(const SweepId& sweep);
  Result<std::string> source_of(const SweepId& sweep);
  Result<AttemptCounts> progress(const SweepId& sweep);
  Result<bool> is_paused(const SweepId& sweep);
  // The command that runs at its end; nothing if there is none.
  Result<std::optional<Notification>> notification_of(const SweepId& sweep);
  // Returns, by pass, the inputs of time_left. Reads every attempt of the sweep.
  Result<std::vector<PassEta>> eta(const SweepId& sweep, const AttemptWeights& weights);
  // Returns each trial of the sweep once, with its passes.
  Result<std::vector<SweepTrial>> trials_of(const SweepId& sweep, const WorkloadDef& def);
  Result<std::unordered_set<TrialKey>> trial_keys_of(const SweepId& sweep);
  Result<std::vector<AttemptRow>> attempts_of_sweep(const SweepId& sweep, std::int64_t limit);
  // Returns the last `limit` attempts that are neither `done` nor cancelled, the oldest first.
  Result<std::vector<AttemptRow>> last_problems(const SweepId& sweep, std::int64_t limit);

  // kInvalidArgument if the sweep's workload does not read output.
  Result<std::vector<StoredOutputRow>> outputs_of_sweep(const SweepId& sweep);
  // Returns every attempt of the trial whose key begins with `key_prefix`.
  Result<std::vector<AttemptRow>> attempts_of_trial(const std::string& key_prefix);
  Result<AttemptRow> find_attempt(const std::string& id_prefix);
  // Returns everything known, as tables in reading order: parameters, figures, summary, memory,
  // facts, environment, device states. `steps` adds every sample.
  Result<std::vector<Table>> attempt_details(std::int64_t row, bool steps);
  Result<MemoryDetails> memory_details(std::int64_t row);
  // Returns the kernels of a profile pass's step. Errors: an attempt of another pass, a phase
  // without kernels.
  Result<std::vector<Table>> attempt_kernels(std::int64_t row, const KernelView& view);
  // Errors: an attempt without kernels of that rank.
  Result<StepProfile> step_profile(std::int64_t row, int rank);
  // Returns the kernels of an attempt's profile by name, of all ranks. `phase` "" is the whole
  // step. An attempt without kernels has none.
  Result<StepKernels> step_kernels(std::int64_t row, const std::string& phase);
  Result<std::vector<Table>> trial_details(const std::string& key_prefix);

  // The result's dimensions are the columns of `query` (parameters of the workload and the columns
  // that every result has), followed by the parameters in which the trials differ that one cell
  // pools. For each trial, pass, repeat and host the newest done attempt counts, else the newest;
  // of a sweep its own (own_results.h), unless the query says `newest`.
  // Unless the query names `phase`, a row is the whole step. Metrics: those of samples, and of the
  // memory pass peak_allocated_bytes, peak_reserved_bytes, at_start_bytes, at_end_bytes,
  // device_in_use_bytes. The metric decides the pass unless the query names one. Work and peaks are
  // filled in when `cell` or `sort` names something derived from them. With thousands of attempts,
  // those of which only the moments are needed are returned pooled (ResultRow::attempts).
  Result<ResultSet> results(const QuerySpec& query, bool with_samples);

  // Returns the properties that the attempts behind these results share.
  Result<MeasuredWith> measured_with(const QuerySpec& query);

  // Covers the sweep that the query names, else all trials of its workload.
  Result<RanksSeen> ranks_seen(const QuerySpec& query);
  // Returns the noise of each trial of the workload that was measured on one of the hosts (by name;
  // all hosts if there are none).
  Result<std::vector<NoiseFloor>> noise_floors(const std::string& workload,
                                               const std::vector<std::string>& hosts);
  Result<RanInSweep> ran_in_sweep(const SweepId& sweep, const WorkloadDef& def);
  // Returns the environment of each of these attempts; unknown ones are skipped.
  Result<std::map<AttemptId, WhatRan>> what_ran(const std::vector<AttemptId>& attempts);

  // The done and not invalid runs of all sentinels, of any sweeps.
  Result<std::vector<SentinelSeries>> sentinel_series();
  // Returns those of the given attempts, or of all attempts of the sweep, that are done and were
  // timed, in a timing or a profile.
  Result<std::vector<AttemptSpan>> spans_of(const std::vector<AttemptId>& attempts);
  Result<std::vector<AttemptSpan>> spans_of_sweep(const SweepId& sweep);

  // Returns the published figures of a workload's metric, by source, then in their file's order.
  Result<std::vector<ReferenceRow>> reference_rows(const std::string& workload,
                                                   const std::string& metric);
  Result<std::vector<ReferenceSummary>> references();  // by name

  // Returns the attempts that `submit` would find, by the same rules, in the order of `trials`.
  // `host` is the host's id; the trials would run on `machines`.
  Result<std::vector<TrialStanding>> standing(const WorkloadDef& def,
                                              const std::vector<WantedTrial>& trials,
                                              const std::vector<Pass>& passes,
                                              const std::string& host,
                                              const MachineIds& machines = {});
  // Returns the newest `done` attempts of a workload in the pool (in `local`: on the host), for
  // estimates.
  Result<std::vector<PastAttempt>> past_attempts(const WorkloadDef& def, const std::string& host,
                                                 std::int64_t limit,
                                                 const std::string& pool = std::string(kLocalPool));

 private:
  struct State;
  explicit Reader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// All names that a query of the workload may use: its parameters, and those.
std::vector<std::string> dimensions_of(const WorkloadDef& def);

}  // namespace sweepd
