// The dispatcher's data of an attempt whose processes run.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runner/daemon/dispatcher.h"
#include "runner/daemon/gang.h"

namespace sweepd {

struct Dispatcher::Run {
  Run(OpenAttempt attempt_, AttemptFolder folder_)
      : attempt(std::move(attempt_)), folder(std::move(folder_)) {}

  OpenAttempt attempt;
  AttemptFolder folder;
  WallTime started;
  std::vector<RankProcess> ranks;
  std::vector<std::unique_ptr<boost::asio::posix::stream_descriptor>> waits;
  std::vector<EndedRank> ended;  // in the order they ended; those with their own reason first
  std::optional<StopReason> stop;
  bool killed = false;       // those that still ran when another rank had ended badly
  std::optional<Hang> hang;  // set if a gang's time was up
  // Runs while ranks that failed in a collective wait for the end of the rank that broke it.
  std::unique_ptr<boost::asio::steady_timer> peer_timer;
  // Runs while processes that killed ranks left behind are still there.
  std::unique_ptr<boost::asio::steady_timer> clear_timer;
  int clears = 0;
  bool incomplete = false;  // adopted before all its ranks had begun: it is ended and queued again

  bool all_ended() const { return ended.size() == ranks.size(); }
  void collect(Executor& executor, std::size_t index);
  // Collects all ranks that have ended by now, even if the loop has not learned of it yet.
  void collect_ended(Executor& executor);
  void kill(Executor& executor);  // kills those that still run
};

}  // namespace sweepd
