// The only writer. Every public call is one transaction, durable when it returns (WAL with
// synchronous=FULL). If SQLite throws inside, the call returns an Error and changes nothing. One
// thread at a time (in the daemon that of runner/daemon/threads/writer.h).
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
#include "runner/model/attempt/attempt_record.h"
#include "runner/model/attempt/notification.h"
#include "runner/model/attempt/open_attempt.h"
#include "runner/model/machine/noise_floor.h"
#include "runner/model/machine/peaks.h"
#include "runner/model/sweep/paused_sweep.h"
#include "runner/model/sweep/reference.h"
#include "runner/model/sweep/submitted_sweep.h"
#include "runner/model/sweep/sweep.h"

namespace sweepd {

struct NewTrial {
  TrialKey key;
  Trial trial;
  TrialKey base_key{};  // ExpandedTrial::base_key
};

// The earlier results that a sweep may use as its own.
enum class Reuse {
  kSame,  // of the same code and machine
  kAny,   // whatever ran
  kNone,  // everything is measured again
};

// Whether a trial that killed its workers too often runs anyway.
enum class Insist { kNo, kYes };

struct NewSweep {
  SweepId id;
  Sweep sweep;
  std::vector<NewTrial> trials;  // in sweep order, keys unique in each pool
  WallTime submitted;
  Reuse reuse = Reuse::kSame;
  MachineIds machines{};    // on which it would run
  std::string notify = {};  // a command to run once it has ended; "": none
};

// Open attempts whose sweeps changed, by their rows. The change affects those that wait; a running
// one may be queued again later.
struct Holds {
  std::vector<std::int64_t> held;      // every live sweep that wants them is paused
  std::vector<std::int64_t> released;  // one that is not paused wants them, or none is left
};

// A device of this host on which nothing new starts: a user paused it, or an attempt found it
// faulty (runner/model/machine/device_fault.h).
struct PausedDevice {
  std::string kind, uuid;  // as DeviceInfo's
  WallTime since;
  std::string fault = {};  // "": none
  AttemptId attempt = {};  // that met the fault
};

struct SubmitReceipt : SubmitCounts {
  std::vector<OpenAttempt> queued = {};
  Holds holds = {};        // of joined attempts
  bool is_paused = false;  // the sweep that is retried: its queued attempts wait
};

struct Rates {
  double flops_per_s = 0, bytes_per_s = 0;  // 0: none
};

// A sentinel that a sweep still has to run on a kind of device ("cpu", "cuda").
struct OwedSentinel {
  std::int64_t sweep = 0;  // row
  std::string device;
};

class Merger;

class Store {
 public:
  // Opens or creates the file, migrates it, adds its programs to the catalog, and the
  // params_<workload> tables and views that the catalog needs. Results of `host` count as "already
  // measured here".
  static Result<std::unique_ptr<Store>> open(const std::filesystem::path& file,
                                             const Catalog& catalog, const HostInfo& host);
  ~Store();

  // Queues one attempt per (trial, pass, repeat) in the sweep's order, except those that are `done`
  // on this host or already open. `repeats` applies to the timing pass only. Stores the program
  // that the sweep declares and adds it to the catalog; kFailedPrecondition if another declaration
  // contradicts it.
  Result<SubmitReceipt> submit(const NewSweep& sweep, const WorkloadDef& def);

  // Returns the queued and started attempts by position. Attempts queued for a workload or version
  // that this build does not have are first ended as `skipped`.
  Result<std::vector<OpenAttempt>> open_attempts();

  // Survives a crash of the program but not of the machine, which saves an fsync per attempt. A
  // crash of the machine also ends the attempt's processes, so it is queued again.
  Result<void> mark_started(std::int64_t row, WallTime when, const Lease& lease);
  // The same for an attempt whose pool starts it later: until `mark_running` it counts as queued.
  Result<void> mark_given(std::int64_t row, WallTime when, const Lease& lease);
  // An attempt given to its pool has started. As durable as mark_started.
  Result<void> mark_running(std::int64_t row, WallTime when);
  // The attempt's pool took it away, so it will be queued again. `show` has the reason.
  Result<void> record_loss(std::int64_t row, WallTime when, const std::string& reason);
  // Puts the attempt back into the queue: it was marked started, but the daemon died before a
  // process started.
  Result<void> mark_queued(std::int64_t row);

  // For a record with very many samples: stores the next slice, beginning at `from`, in a
  // transaction of about fifty milliseconds. Returns how many samples are stored then, or `from` if
  // the attempt has ended. Stored samples count only from `finish` on; those of a dead daemon are
  // replaced.
  static constexpr std::size_t kSampleSlice = 20'000;
  Result<std::size_t> store_samples(const AttemptRecord& record, std::size_t from);

  // Returns false and changes nothing if this attempt had already ended (its journal was read
  // twice). Samples before `from_sample` are already stored.
  Result<bool> finish(const AttemptRecord& record, std::size_t from_sample = 0);
  // Replaces samples, facts and verdict of a timing attempt that is stored as done by those of the
  // record, whose output was read again.
  Result<void> replace_reading(const AttemptRecord& record);
  // Finishes all of them in one transaction, or none. `ids` are those of the attempts, in the same
  // order, because a deleted attempt's row number is used again; empty: they are not checked.
  // False: it had ended or was deleted.
  Result<std::vector<bool>> finish_all(const std::vector<AttemptRecord>& records,
                                       const std::vector<AttemptId>& ids = {});

  // Ends as `skipped` the queued attempts of `oom`'s sweeps at points at least as large
  // (runner/model/sweep/frontier.h), unless a sweep that wants them has `frontier: off`.
  struct SkippedAttempt {
    std::int64_t row = 0;
    AttemptId id;
    TrialKey trial_key;
    Trial trial;
    Ending ending;
  };
  Result<std::vector<SkippedAttempt>> skip_beyond(const OpenAttempt& oom, WallTime now);
  // Ends as `skipped` the queued attempts of `killer`'s trial, pass and pool, if it has killed its
  // workers too often (runner/model/attempt/crash_limit.h). `submit`, `retry_sweep` and the others
  // do the same instead of queueing such a trial.
  Result<std::vector<SkippedAttempt>> skip_killer(const OpenAttempt& killer, WallTime now);

  // Ends as `cancelled` the sweep's queued attempts that no other live sweep wants, with those of
  // its sentinel, and marks the sweep. Returns the rows it ended and the rows still running that
  // only this sweep wants. A sweep with nothing open is kFailedPrecondition.
  struct CancelReceipt {
    std::vector<std::int64_t> ended;
    std::vector<std::int64_t> running;
    std::int64_t given = 0;  // of `running`: that wait in a cluster
    Holds holds = {};        // of attempts that other sweeps want
  };
  Result<CancelReceipt> cancel_sweep(const SweepId& sweep, WallTime when);

  // Pauses sweeps, with their sentinels: queued attempts start only after `resume`, or if another
  // live sweep wants them. Running attempts finish. Repeatable. All or none: kFailedPrecondition if
  // one has ended or was cancelled. `pause_all`: those with anything open, as of now.
  struct PauseReceipt {
    std::vector<PausedSweep> sweeps;
    Holds holds;
  };
  Result<PauseReceipt> pause_sweeps(const std::vector<SweepId>& sweeps, WallTime when);
  Result<PauseReceipt> pause_all(WallTime when);
  // The opposite. Leaves a sweep without a pause unchanged.
  Result<PauseReceipt> resume_sweeps(const std::vector<SweepId>& sweeps);
  Result<PauseReceipt> resume_all();
  // The same for a device of this host. Each returns false if it was so already.
  Result<bool> pause_device(const DeviceInfo& device, WallTime when);
  // Also puts a device that was at fault back in service.
  Result<bool> resume_device(const DeviceInfo& device);
  // Pauses a device of this host because an attempt found it faulty. Keeps the first fault.
  Result<void> take_out_of_service(const DeviceInfo& device, WallTime when,
                                   const std::string& fault, const AttemptId& attempt);
  Result<std::vector<PausedDevice>> paused_devices();

  // Commands of ended sweeps, with any outcomes. `begin_notification` marks the next one as begun
  // and never returns it again, unless a retry queues something. Nothing: none is due.
  Result<bool> owes_notifications();  // of sweeps that have ended or will
  Result<std::optional<EndedSweep>> begin_notification(WallTime now);
  Result<void> end_notification(const SweepId& sweep, WallTime now, const std::string& problem);
  // Those that a daemon began and whose end it did not see.
  Result<void> end_lost_notifications(WallTime now);

  // Adds attempts, as submit does, for those that are not `done` (or whose outcome or verdict is in
  // `which`). The sweep then refers to the new attempts. A cancelled sweep becomes live again; one
  // that is paused stays so. Its notification is due again at its next end. Insist::kYes: also
  // those of trials that kill their workers, and their earlier crashes no longer count.
  Result<SubmitReceipt> retry_sweep(const SweepId& sweep, const std::vector<std::string>& which,
                                    WallTime when, const MachineIds& machines = {},
                                    Insist insist = Insist::kNo);

  // Deletes sweeps, with those of their sentinels, and the trials that no other sweep has, with all
  // their attempts. A trial of another sweep keeps everything. One transaction: all or
  // nothing. kFailedPrecondition if an attempt that would go is queued or running.
  struct DeleteReceipt {
    std::vector<SweepId> sweeps;
    std::int64_t trials = 0, samples = 0;
    std::int64_t trials_kept = 0;     // because another sweep has them
    std::vector<AttemptId> attempts;  // whose folders can be removed
  };
  enum class Deletion { kForReal, kDryRun };
  // Calls `before` with the sweeps and attempts to delete, before it deletes them.
  Result<DeleteReceipt> delete_sweeps(const std::vector<SweepId>& sweeps, Deletion deletion,
                                      const std::function<void(const DeleteReceipt&)>& before = {});
  Result<std::vector<SweepId>> sweep_ids();  // sorted

  // For a database that was lost (runner/daemon/recovery). In this order: sweeps with their trials,
  // oldest first; attempts, which `finish` then ends; and for each sweep its missing points.
  Result<void> restore_sweep(const NewSweep& sweep, const WorkloadDef& def,
                             const SweepId& sentinel_of);
  // Adds the attempt as a started one of `sweep`, and its trial, of version `def.version`, if it is
  // new. Returns its row.
  Result<std::int64_t> restore_attempt(const OpenAttempt& attempt, const TrialKey& base_key,
                                       const SweepId& sweep, const WorkloadDef& def);
  // The sweep keeps the newest of several attempts of one point. A point without one gets the
  // result that another sweep had when this one was submitted, else its first one after that, else
  // a queued attempt; returns these.
  Result<SubmitReceipt> restore_answers(const NewSweep& sweep, const WorkloadDef& def);
  // Ends queued attempts as `cancelled`, with this reason.
  Result<void> restore_unmeasured(const std::vector<std::int64_t>& rows, const std::string& reason,
                                  WallTime when);

  // Queues the next sentinel of the sweep, a row, on a kind of device ("cpu", "cuda"). Returns
  // nothing if the sweep or its sentinel was cancelled, if the sentinel kills its workers, or if
  // this build cannot run one.
  Result<std::optional<OpenAttempt>> add_sentinel(std::int64_t sweep, const std::string& device,
                                                  WallTime now);
  // Returns those of ended sweeps that the previous daemon did not queue.
  Result<std::vector<OwedSentinel>> owed_sentinels();

  // Moves the log into the database file, as far as readers allow. Acknowledged data is durable
  // without this; after it, the file alone contains everything.
  Result<void> checkpoint();
  // From how many pages on a call also moves the log. Unless this is called: 64 MiB.
  void set_long_log(int pages);

  // Records rates measured on this machine and keeps the largest. `ruler` is the rate of `matmul`
  // or `memcpy` at a size that saturates the device, `seen` that of any valid attempt. The peak is
  // the larger of the two, and unknown without a ruler.
  Result<void> record_peak(const DeviceInfo& device, const std::string& arithmetic,
                           const Rates& ruler, const Rates& seen, std::int64_t attempt_row);
  // Why its rulers gave a device of this host no FLOP/s or no bandwidth; "" if none has run.
  Result<std::string> why_no_peak(const DeviceInfo& device);
  Result<std::optional<Peak>> measured_peak(const DeviceInfo& device,
                                            const std::string& arithmetic);

  // The SM clocks in MHz after the measured steps of earlier valid timings of the same trial on
  // this device, the newest ten.
  Result<std::vector<std::int64_t>> clocks_before(std::int64_t attempt_row,
                                                  const DeviceInfo& device);

  // Replaces the stored noise of each attempt's trial on its host and device.
  Result<void> record_noise(const std::vector<NoiseFloor>& floors);

  // Adds published figures, in place of earlier ones of this name.
  Result<void> add_reference(const PublishedFigures& reference, WallTime now);
  // Returns how many rows it had. kNotFound if there is none of this name.
  Result<std::int64_t> remove_reference(const std::string& name);

 private:
  friend class Merger;  // db/merge/merge.h; writes through the same connection, in batches
  struct State;
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sweepd
