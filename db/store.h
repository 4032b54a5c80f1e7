// The one writer. Every public call is one transaction, durable when it returns (WAL with
// synchronous=FULL); an exception of SQLite inside becomes an Error and nothing was changed. One
// thread at a time (in the daemon that of runner/daemon/writer.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/ids.h"
#include "runner/base/result.h"
#include "runner/model/attempt_record.h"
#include "runner/model/open_attempt.h"
#include "runner/model/sweep.h"
#include "runner/model/verdict.h"

namespace sweepd {

struct NewTrial {
  TrialKey key;
  Trial trial;
};

struct NewSweep {
  SweepId id;
  Sweep sweep;
  std::vector<NewTrial> trials;  // in sweep order, keys unique
  WallTime submitted;
};

struct SubmitReceipt {
  std::int64_t trials = 0;
  std::int64_t attempts_queued = 0;
  std::int64_t attempts_reused = 0;  // `done` already, on this host
  std::int64_t attempts_joined = 0;  // queued or running already, for another sweep
  std::vector<OpenAttempt> queued;
};

struct Rates {
  double flops_per_s = 0, bytes_per_s = 0;  // 0: none
};

class Merger;

class Store {
 public:
  // Opens or creates, migrates, and grows params_<workload> tables and views to the catalog. `host`
  // is whose results count as "already measured here".
  static Result<std::unique_ptr<Store>> open(const std::filesystem::path& file,
                                             const Catalog& catalog, const HostInfo& host);
  ~Store();

  // Queues one attempt per (trial, pass, repeat) in the sweep's order, but for those that are
  // `done` on this host or open already. repeats applies to the timing pass only.
  Result<SubmitReceipt> submit(const NewSweep& sweep, const WorkloadDef& def);

  // Queued and started, by position. What was queued for a workload or version that this build does
  // not have is ended as `skipped` first.
  Result<std::vector<OpenAttempt>> open_attempts();

  // Survives the program's death but not the machine's, which saves an fsync an attempt: with the
  // machine the attempt's processes are gone too, and it is queued again, as it should be.
  Result<void> mark_started(std::int64_t row, WallTime when, const Lease& lease);
  // Back to the queue: it was marked started but no process ever was (the daemon died in between).
  Result<void> mark_queued(std::int64_t row);

  // Of a record of very many samples, the next slice beginning at `from`, in a transaction of some
  // fifty milliseconds; how many are stored then, `from` itself when the attempt has ended. They
  // count for nothing before `finish`, and what a daemon that died in between has left is replaced.
  static constexpr std::size_t kSampleSlice = 20'000;
  Result<std::size_t> store_samples(const AttemptRecord& record, std::size_t from);

  // False when this attempt had ended already (its journal was read twice): nothing is changed
  // then. `from_sample`: those before it are stored.
  Result<bool> finish(const AttemptRecord& record, std::size_t from_sample = 0);
  // All of them in one transaction, or none.
  Result<std::vector<bool>> finish_all(const std::vector<AttemptRecord>& records);

  // Ends the sweep's queued attempts that no other live sweep wants as `cancelled` and marks the
  // sweep; returns the rows it ended and the rows still running that only this sweep wants. Of a
  // sweep with nothing open: kFailedPrecondition.
  struct CancelReceipt {
    std::vector<std::int64_t> ended;
    std::vector<std::int64_t> running;
  };
  Result<CancelReceipt> cancel_sweep(const SweepId& sweep, WallTime when);

  // New attempts for what is not `done` (or whose outcome or verdict is in `which`), like submit. A
  // cancelled sweep lives again. The sweep then answers with the new attempts.
  Result<SubmitReceipt> retry_sweep(const SweepId& sweep, const std::vector<std::string>& which,
                                    WallTime when);

  // Moves what stands in the log to the database file, as far as no reader is in the way. What was
  // answered is durable without it; a copy of the file alone then holds everything.
  Result<void> checkpoint();

  // Rates measured on this machine; keeps the largest. `ruler` is of `matmul` or `memcpy` at a size
  // that saturates the device, `seen` of any valid attempt. The peak is the larger of the two, and
  // unknown without a ruler.
  Result<void> record_peak(const DeviceInfo& device, const std::string& arithmetic,
                           const Rates& ruler, const Rates& seen, std::int64_t attempt_row);
  Result<std::optional<Peak>> measured_peak(const DeviceInfo& device,
                                            const std::string& arithmetic);

 private:
  friend class Merger;  // db/merge.h: writes through the same connection, in batches
  struct State;
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sweepd
