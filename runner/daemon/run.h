// An attempt whose processes run: the dispatcher's own bookkeeping.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runner/daemon/dispatcher.h"

namespace sweepd {

struct Dispatcher::Run {
  Run(OpenAttempt attempt_, AttemptFolder folder_)
      : attempt(std::move(attempt_)), folder(std::move(folder_)) {}

  OpenAttempt attempt;
  AttemptFolder folder;
  WallTime started;
  std::vector<RankProcess> ranks;
  std::vector<std::unique_ptr<boost::asio::posix::stream_descriptor>> waits;
  std::vector<EndedRank> ended;  // in the order they ended
  std::optional<StopReason> stop;
};

}  // namespace sweepd
