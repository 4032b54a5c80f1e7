#include "runner/report/plot/svg_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace sweepd::report {
namespace {

constexpr double kInsetOfLog = 10;  // pixels

// 1, 2 or 5 times a power of ten, of which about `about` fit into `span`.
double round_step(double span, int about) {
  const double rough = span / about, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

}  // namespace

std::string short_number(double value) {
  constexpr std::array<std::pair<double, const char*>, 4> kSuffixes{
      {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
  const double size = std::abs(value);
  if (size >= 1e5 && size < 1e16) {
    for (const auto& [unit, suffix] : kSuffixes) {
      if (size >= unit) return fmt::format("{:.4g}{}", value / unit, suffix);
    }
  }
  return fmt::format("{:.4g}", value);
}

SvgScale::SvgScale(double low, double high, double length, double inset, bool log)
    : low_(low), high_(high), length_(length), inset_(inset), log_(log) {
  if (low_ != high_) return;
  // A single value stands in the middle.
  low_ = log ? low / 2 : low - 1;
  high_ = log ? high * 2 : high + 1;
}

SvgScale SvgScale::of_figures(const std::vector<double>& values, double length, bool log) {
  double low = 0, high = 0;
  for (const double value : values) {
    if (log && value <= 0) continue;
    low = log && low == 0 ? value : std::min(low, value);
    high = std::max(high, value);
  }
  if (log)
    return low == 0 ? SvgScale(1, 10, length, 0, true)
                    : SvgScale(low, high, length, kInsetOfLog, true);
  if (low == high) high = 1;
  const double step = round_step(high - low, 5);
  SvgScale scale(step * std::floor(low / step), step * std::ceil(high / step), length, 0, false);
  scale.step_ = step;
  return scale;
}

double SvgScale::at(double value) const {
  if (log_ && value <= low_) return value <= 0 ? 0 : inset_;
  const double share =
      log_ ? std::log(value / low_) / std::log(high_ / low_) : (value - low_) / (high_ - low_);
  return inset_ + share * (length_ - 2 * inset_);
}

std::vector<double> SvgScale::marks(int about) const {
  std::vector<double> marks;
  if (log_ && high_ / low_ > 5) {
    // 1, 2 and 5 of each power of ten, or fewer of them if they are many.
    const double decades = std::log10(high_ / low_);
    const int first = static_cast<int>(std::floor(std::log10(low_)));
    const int skip = std::max(1, static_cast<int>(std::ceil(decades / about)));
    for (int power = first; std::pow(10, power) <= high_; ++power) {
      for (const int factor : {1, 2, 5}) {
        const double mark = factor * std::pow(10, power);
        const bool is_shown = decades < 2.5 || (factor == 1 && power % skip == 0);
        if (is_shown && mark >= low_ && mark <= high_ * (1 + 1e-9)) marks.push_back(mark);
      }
    }
    return marks;
  }
  const double step = step_ > 0 ? step_ : round_step(high_ - low_, about);
  // Multiplied, not added up: adding 0.1 ten times does not give 1.
  const double first = std::ceil(low_ / step - 1e-9);
  for (int i = 0; (first + i) * step <= high_ + step * 1e-6; ++i) {
    marks.push_back((first + i) * step);
  }
  return marks;
}

}  // namespace sweepd::report
