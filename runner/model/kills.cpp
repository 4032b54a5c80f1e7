#include "runner/model/kills.h"

#include <fmt/format.h>

#include <algorithm>

namespace sweepd {

bool killed_its_worker(const Ending& ending) {
  const auto* crashed = std::get_if<Crashed>(&ending.detail);
  return crashed != nullptr && crashed->signal &&
         std::ranges::find(kPoliteSignals, *crashed->signal) == kPoliteSignals.end();
}

Ending ending_of(const Kills& kills) {
  return {Skipped{fmt::format("killed its worker {} times ({}; the last: attempt {})", kills.count,
                              signal_name(kills.signal), short_id(kills.last))},
          0};
}

}  // namespace sweepd
