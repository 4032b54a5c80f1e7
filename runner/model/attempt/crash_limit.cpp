#include "runner/model/attempt/crash_limit.h"

#include <fmt/format.h>

#include <algorithm>

namespace sweepd {

bool killed_its_worker(const Ending& ending) {
  const auto* crashed = std::get_if<Crashed>(&ending.detail);
  return crashed != nullptr && crashed->signal &&
         std::ranges::find(kPoliteSignals, *crashed->signal) == kPoliteSignals.end();
}

Ending ending_of(const Crashes& crashes) {
  return {Skipped{fmt::format("killed its worker {} times ({}; the last: attempt {})",
                              crashes.count, signal_name(crashes.signal), short_id(crashes.last))},
          0};
}

}  // namespace sweepd
