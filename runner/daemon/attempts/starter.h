// Takes attempts from their lease to running ranks: marks them started in the database, writes
// folder and request, and has the executor start them. In this order, so that the next daemon can
// tell how far a dead one came. Lives on the event loop. While a cluster's folder does not answer,
// its attempts stay here.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "runner/daemon/attempts/pool_folders.h"
#include "runner/daemon/attempts/pools.h"
#include "runner/daemon/threads/writer.h"
#include "runner/exec/executor.h"
#include "runner/model/attempt/open_attempt.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

// An attempt that has its lease and is being marked started, or whose ranks are being started.
struct Starting {
  OpenAttempt attempt;
  WallTime when;
  Instant since;                       // the same by the steady clock
  bool cancelled = false;              // in the meantime
  bool withdrawn = false;              // the same: it starts only if it can no longer return
  bool launched = false;               // the executor has it
  bool makes_folder = false;           // the executor does not have it yet
  std::uint64_t number = 0;            // of this start, among all of this daemon
  std::optional<WallTime> began = {};  // when its ranks began, if that is a while ago
};

class Starter {
 public:
  struct Hooks {
    std::function<void(Starting)> started;                        // all ranks run
    std::function<void(OpenAttempt, const Error&)> failed;        // no rank runs
    std::function<void(const OpenAttempt&)> cancelled;            // no rank runs, as requested
    std::function<void(OpenAttempt)> withdrawn;                   // no rank runs, as requested
    std::function<void(OpenAttempt, const Error&)> not_recorded;  // the database refused
    std::function<void(std::int64_t row)> ended;  // in the database, before it could start
  };

  // The folders are those of the pools.
  Starter(Writer& writer, const Pools& pools, PoolFolders& folders, const Catalog& catalog,
          Hooks hooks);

  // Returns true if the executor first loads a worker for attempts like this one. Until it has,
  // `is_preparing`.
  bool prepare(const OpenAttempt& attempt, const Lease& lease);
  bool is_preparing(PoolIndex pool) const { return preparing_ == pool; }

  void start(OpenAttempt attempt, const Lease& lease);
  // Takes over an attempt that another daemon gave to its pool. Until `resume`, its state there is
  // unknown.
  void expect(OpenAttempt attempt);
  // It has not started, and the executor has it.
  void resume(std::int64_t row);
  // Its start continues; `started` reports that it was cancelled. In a cluster it may wait for
  // hours, and so is taken back, or ends at once while its folder is made. Ignores unknown rows.
  void cancel(std::int64_t row);
  // Ends its start if the executor does not have it yet, or if it waits in a cluster's queue
  // without a job. Ignores unknown rows.
  void withdraw(std::int64_t row);
  void kill_all();

  void handle(const AttemptStarted& event);
  void handle(const AttemptNotStarted& event);
  void handle(const WorkerLoaded&) { preparing_.reset(); }
  // The attempt is no longer the starter's.
  std::optional<Starting> take(const AttemptId& attempt);

  bool empty() const { return starting_.empty(); }
  std::size_t size() const { return starting_.size(); }
  const std::map<std::int64_t, Starting>& all() const { return starting_; }  // by row

 private:
  AttemptRequest request_of(const OpenAttempt& attempt, const Lease& lease) const;
  void marked(std::int64_t row, const Result<void>& marked);
  bool ends_before_launch(std::int64_t row);
  void make_folder(std::int64_t row);
  void launch(std::int64_t row, const AttemptFolder& folder, const AttemptRequest& request);
  const PoolUse& use_of(const OpenAttempt& attempt) const {
    return pools_.at(pool_of(pools_, catalog_, attempt));
  }

  Writer& writer_;
  const Pools& pools_;
  PoolFolders& folders_;
  const Catalog& catalog_;
  Hooks hooks_;
  std::uint64_t starts_ = 0;
  std::map<std::int64_t, Starting> starting_;
  std::optional<PoolIndex> preparing_;
};

}  // namespace sweepd
