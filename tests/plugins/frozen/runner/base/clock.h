// Two clocks that are never mixed: `Instant` for intervals and deadlines inside one process,
// `WallTime` for stored and shown times. Pure parts (scheduler, measure loop) are given an
// Instant and never read a clock themselves.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>

#include "runner/base/units.h"

namespace sweepd {

struct Instant {  // nanoseconds of the steady clock; the origin is arbitrary
  std::int64_t ns = 0;
  friend auto operator<=>(const Instant&, const Instant&) = default;
  friend Instant operator+(Instant a, Duration d) { return {a.ns + d.ns}; }
  friend Instant operator-(Instant a, Duration d) { return {a.ns - d.ns}; }
  friend Duration operator-(Instant a, Instant b) { return {a.ns - b.ns}; }
};

struct WallTime {  // nanoseconds since 1970-01-01T00:00:00Z
  std::int64_t ns = 0;
  friend auto operator<=>(const WallTime&, const WallTime&) = default;
  friend Duration operator-(WallTime a, WallTime b) { return {a.ns - b.ns}; }
};

inline Instant now_instant() {
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(
              std::chrono::steady_clock::now().time_since_epoch())
              .count()};
}

inline WallTime now_wall() {
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(
              std::chrono::system_clock::now().time_since_epoch())
              .count()};
}

// "2026-11-21T10:04:05Z"
std::string to_text(WallTime time);

}  // namespace sweepd
