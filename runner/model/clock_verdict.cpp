#include "runner/model/clock_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace sweepd {
namespace {

// Clocks move in steps of 15 MHz, and by a few per cent with the temperature.
constexpr double kAllowed = 0.9;

}  // namespace

Judgement judge_clock(std::int64_t mhz, std::span<const std::int64_t> earlier,
                      std::string_view who) {
  Judgement judgement;
  if (earlier.size() < kLeastClocks) return judgement;
  std::vector<std::int64_t> sorted(earlier.begin(), earlier.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  if (static_cast<double>(mhz) >= kAllowed * static_cast<double>(*middle)) return judgement;
  add_reason(
      judgement, Verdict::kSuspect,
      fmt::format("the device{} ran at {} MHz after the measured steps, and at {} MHz in the "
                  "{} valid results of this trial before",
                  who, mhz, *middle, earlier.size()));
  return judgement;
}

}  // namespace sweepd
