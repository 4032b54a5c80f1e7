// Read-only questions. A Reader owns one read-only connection; use one per thread. `deadline`
// interrupts a query that takes longer (ErrorCode::kResourceExhausted).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "db/query/kernel_view.h"
#include "runner/model/estimate.h"
#include "runner/model/memory_picture.h"
#include "runner/model/outcome.h"
#include "runner/model/pace.h"
#include "runner/model/result_set.h"
#include "runner/model/table.h"

namespace sweepd {

// Counts of attempts by state, of one sweep (reused ones included).
struct Progress {
  std::int64_t total = 0, queued = 0, running = 0;
  std::array<std::int64_t, kOutcomes.size()> by_outcome{};
  std::int64_t of(Outcome outcome) const { return by_outcome[static_cast<std::size_t>(outcome)]; }
  std::int64_t ended() const {
    return std::accumulate(by_outcome.begin(), by_outcome.end(), std::int64_t{0});
  }
};

struct SweepRow {
  SweepId id;
  std::string name, description, workload;
  WallTime submitted;
  bool cancelled = false;
  std::int64_t trials = 0;
  Progress progress;
};

struct AttemptRow {
  std::int64_t row = 0;
  AttemptId id;
  TrialKey trial_key;
  std::string label;  // label_of the trial
  std::string workload;
  Pass pass = Pass::kTiming;
  int repeat = 0;
  std::optional<WallTime> started, ended;
  std::optional<Outcome> outcome;  // empty: queued or running
  std::string detail;              // describe(ending)
  std::string verdict;             // "" when not judged
  std::string verdict_reasons;
};

// What a memory pass left behind; one picture a rank that has a timeline.
struct MemoryDetails {
  std::vector<MemoryPicture> pictures;
  std::vector<Table> tables;
};

// A trial that a sweep would have, and how its attempts stand before it is submitted.
struct WantedTrial {
  const TrialKey* key = nullptr;  // must outlive the call
  std::int64_t repeats = 1;
};
struct TrialStanding {
  std::int64_t reused = 0;               // `done` on this host
  std::int64_t queued = 0, running = 0;  // open for another sweep
  std::array<std::int64_t, 3> to_run{};  // by Pass
  std::optional<Outcome> last;           // of one that would run again because it is not `done`
  std::int64_t all_to_run() const { return to_run[0] + to_run[1] + to_run[2]; }
};

// What a table of several ranks must say of them.
struct RanksSeen {
  bool several = false;  // some done timing has more than one
  // ... and its ranks never met: each ran the whole step by itself.
  bool apart = false;
};

struct SweepTrial {
  TrialKey key;
  Trial trial;
  std::vector<Pass> passes;
};

class Reader {
 public:
  static Result<std::unique_ptr<Reader>> open(const std::filesystem::path& file,
                                              const Catalog& catalog);
  ~Reader();
  void set_time_limit(Duration limit);

  Result<std::vector<SweepRow>> sweeps(std::int64_t limit);  // newest first
  // A full id, a unique prefix of one (4 digits or more), or a name (its latest sweep); "" is the
  // latest sweep of all. Errors: not found with the nearest name; ambiguous with the candidates.
  Result<SweepRow> find_sweep(const std::string& who);
  Result<std::vector<TableSpec>> tables_of(const SweepId& sweep);
  Result<std::string> source_of(const SweepId& sweep);
  Result<Progress> progress(const SweepId& sweep);
  // By pass; what time_left needs. Reads every attempt of the sweep.
  Result<std::vector<PassPace>> pace(const SweepId& sweep, const AttemptWeights& weights);
  // The sweep's trials, each once, with the passes that it has.
  Result<std::vector<SweepTrial>> trials_of(const SweepId& sweep, const WorkloadDef& def);
  Result<std::vector<AttemptRow>> attempts_of_sweep(const SweepId& sweep, std::int64_t limit);

  // A trial key prefix -> every attempt of it.
  Result<std::vector<AttemptRow>> attempts_of_trial(const std::string& key_prefix);
  Result<AttemptRow> find_attempt(const std::string& id_prefix);
  // Everything known, as tables in reading order: parameters, figures, summary, memory, facts,
  // environment, device states. `steps` adds every sample.
  Result<std::vector<Table>> attempt_details(std::int64_t row, bool steps);
  Result<MemoryDetails> memory_details(std::int64_t row);
  // What the step of a profile pass ran. Of another pass, or a phase without kernels: an error that
  // says so.
  Result<std::vector<Table>> attempt_kernels(std::int64_t row, const KernelView& view);
  Result<std::vector<Table>> trial_details(const std::string& key_prefix);

  // The columns of `query` as dimensions: parameters of the workload and the columns every result
  // has; behind them, where a cell pools several trials, the parameters these differ in. Of each
  // trial, pass, repeat and host the newest done attempt counts, else the newest. Without `phase`
  // among the names a row is the whole step. Metrics: those of samples, and of the memory pass
  // peak_allocated_bytes, peak_reserved_bytes, at_start_bytes, at_end_bytes, device_in_use_bytes;
  // the pass follows from the metric unless the query names one. Work and peaks are filled when
  // `cell` or `sort` names something derived from them. Of thousands of attempts, those whose
  // moments are all that is wanted come pooled (ResultRow::attempts).
  Result<ResultSet> results(const QuerySpec& query, bool with_samples);

  // Of the sweep that the query names, else of all trials of its workload.
  Result<RanksSeen> ranks_seen(const QuerySpec& query);

  // What `submit` would find, by the same rules; in the order of `trials`. `host` is its id.
  Result<std::vector<TrialStanding>> standing(const std::vector<WantedTrial>& trials,
                                              const std::vector<Pass>& passes,
                                              const std::string& host);
  // The newest `done` attempts of a workload on the host, to estimate from.
  Result<std::vector<PastAttempt>> past_attempts(const WorkloadDef& def, const std::string& host,
                                                 std::int64_t limit);

 private:
  struct State;
  explicit Reader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Names a query may use beside a workload's parameters.
const std::vector<std::string>& common_dimensions();

}  // namespace sweepd
