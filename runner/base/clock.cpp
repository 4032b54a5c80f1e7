#include "runner/base/clock.h"

#include <ctime>

namespace sweepd {

std::string to_text(WallTime time) {
  const std::time_t seconds = static_cast<std::time_t>(time.ns / 1'000'000'000);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char buffer[32];
  const std::size_t n = std::strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return {buffer, n};
}

}  // namespace sweepd
