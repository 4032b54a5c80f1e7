#include "runner/exec/pilot/doubts.h"

namespace sweepd {
namespace {

constexpr int kCertain = 3;
// Longer than the dispatcher pauses (DispatcherTiming::lasting_retry_most).
constexpr Duration kLongest = seconds(1200);

}  // namespace

bool Doubts::failed(const std::string& what, Instant now) {
  Row& row = rows_.try_emplace(what, Row{0, now, now}).first->second;
  row.last = now;
  return ++row.failures >= kCertain && now - row.first >= moment_;
}

void Doubts::nothing_waited_until(Instant now) {
  std::erase_if(rows_, [now](const auto& row) { return now - row.second.last >= kLongest; });
}

}  // namespace sweepd
