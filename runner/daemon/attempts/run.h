// An attempt whose ranks run: how they end, and what is done to those that are left. Lives on the
// event loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "runner/base/clock.h"
#include "runner/daemon/attempts/gang.h"
#include "runner/exec/executor.h"
#include "runner/model/open_attempt.h"
#include "runner/sched/scheduler.h"

namespace sweepd {

// A cluster's node may have another time of day than this machine, so this may lie ahead.
inline Instant steady_time_of(WallTime when) {
  return now_instant() - (now_wall() - when);
}

class Run : public std::enable_shared_from_this<Run> {
 public:
  // After a rank ended badly, the others may run for `peer_grace` until it is known which rank was
  // the reason.
  Run(boost::asio::io_context& io, Executor& executor, Duration peer_grace, OpenAttempt attempt,
      std::filesystem::path folder, WallTime started);

  OpenAttempt attempt;
  AttemptFolder folder;
  WallTime started;
  std::optional<Instant> since;  // the same by the steady clock; empty: it ended before this daemon
  std::vector<EndedRank> ended;  // in the order they ended; those with their own reason first
  std::optional<StopReason> stop;   // why the daemon ended it
  std::optional<Hang> hang;         // set if a gang's time was up
  std::optional<AttemptLost> lost;  // its pool took it away
  bool incomplete = false;          // adopted before all ranks had begun: it is queued again

  int world_size() const { return static_cast<int>(attempt.lease.ranks.size()); }
  // How long it has run, whatever became of the wall clock meanwhile.
  Duration elapsed() const;
  // The time of day if nobody had set the clock since it started.
  WallTime now() const;
  bool clock_was_set() const;  // or the machine was suspended
  bool all_ended() const { return static_cast<int>(ended.size()) == world_size(); }

  // Takes over what the executor found of an attempt that another daemon started. Ranks that are
  // not alive have ended, as that daemon noted or nobody knows how.
  void adopt(const Adoption& found);
  // Adds to `ended`. Of a rank whose exit nobody saw, its place may say that it had no journal.
  void add_end(int rank, ExitStatus exit);
  // Ends the other ranks if one in `ended` ended badly. Call when ranks were added to it.
  void end_others();
  void end(StopReason reason);
  void kill();  // those that still run

 private:
  bool ended_well(const EndedRank& rank) const;
  bool has_ended(int rank) const;
  void note_end() const;  // for the next daemon

  boost::asio::io_context& io_;
  Executor& executor_;
  Duration peer_grace_;
  bool killed_ = false;
  std::unique_ptr<boost::asio::steady_timer> peer_timer_;
};

}  // namespace sweepd
