// An attempt whose ranks run: follows their ends, and ends those that are left. Lives on the event
// loop. It reads the attempt's files through its pool's folder, which may take a while to answer,
// and acts on them then.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runner/base/clock.h"
#include "runner/daemon/attempts/gang.h"
#include "runner/daemon/attempts/run_note.h"
#include "runner/daemon/threads/pool_folder.h"
#include "runner/exec/executor.h"
#include "runner/model/attempt/open_attempt.h"
#include "runner/sched/scheduler.h"
#include "runner/wire/status.h"

namespace sweepd {

// A cluster's node may have another time of day than this machine, so this may lie ahead.
inline Instant steady_time_of(WallTime when) {
  return now_instant() - (now_wall() - when);
}

class Run : public std::enable_shared_from_this<Run> {
 public:
  // After a rank ended badly, the others may run for `peer_grace` until it is known which rank was
  // the reason.
  Run(boost::asio::io_context& io, Executor& executor, PoolFolder& files, Duration peer_grace,
      OpenAttempt attempt, std::filesystem::path folder, WallTime started);

  OpenAttempt attempt;
  AttemptFolder folder;
  WallTime started;
  std::optional<Instant> since;  // the same by the steady clock; empty: it ended before this daemon
  std::vector<EndedRank> ended;  // in the order they ended; those with a reason first
  std::optional<StopReason> stop;   // why the daemon ended it
  std::optional<Hang> hang;         // set if a gang's time was up
  std::optional<AttemptLost> lost;  // its pool took it away
  bool incomplete = false;          // adopted before all ranks had begun: it is queued again

  int world_size() const { return static_cast<int>(attempt.lease.ranks.size()); }
  // How long it has run, independent of changes of the wall clock.
  Duration elapsed() const;
  // The time of day as if the clock had not been set since it started.
  WallTime now() const;
  bool clock_was_set() const;  // or the machine was suspended
  bool all_ended() const { return static_cast<int>(ended.size()) == world_size(); }

  // Takes over another daemon's attempt as the executor found it. Ranks that are not alive have
  // ended, as that daemon noted or for an unknown reason.
  void adopt(const Adoption& found, const std::optional<RunNote>& note);
  // Adds to `ended`. If a rank's exit is unknown, its place may record that it had no journal.
  void add_end(int rank, ExitStatus exit);
  // Its first rank's position, from the last read of its status page; requests a new read.
  const Status& place();
  bool is_reading_place() const { return reads_place_; }
  // Ends the other ranks if one in `ended` ended badly. Call when ranks were added to it.
  void end_others();
  void end(StopReason reason);
  void kill();  // those that still run

 private:
  // The reports in the files of the ranks in `ended`.
  struct ExitReport {
    std::vector<EndedRank> order;  // those with a reason first
    bool reason_known = false;
    bool all_well = false;
  };
  static ExitReport read_exit_report(const AttemptFolder& folder, std::vector<EndedRank> ended);
  void with_exit_report(const std::function<void(Run&, const ExitReport&)>& then);
  void put_in_order(const std::vector<EndedRank>& order);
  void end_others_after(const ExitReport& words);
  bool has_ended(int rank) const;
  // For the next daemon.
  static void note_end(const AttemptFolder& folder, const AttemptId& id, const RunNote& note);
  // Calls `done` if this still lives when `job` has run.
  void at_files(std::function<void()> job, std::function<void(Run&)> done);

  boost::asio::io_context& io_;
  Executor& executor_;
  PoolFolder& files_;
  Duration peer_grace_;
  bool killed_ = false;
  Status place_;
  bool reads_place_ = false;
  std::unique_ptr<boost::asio::steady_timer> peer_timer_;
};

}  // namespace sweepd
