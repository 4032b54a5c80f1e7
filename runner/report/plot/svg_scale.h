// The axes of an SVG: the positions of values and labels.
#pragma once

#include <string>
#include <vector>

namespace sweepd::report {

// "12", "0.25", "1.5M": at most four digits.
std::string short_number(double value);

// Numbers along an axis that is `length` pixels long, with `inset` of them free at both ends.
class SvgScale {
 public:
  SvgScale() = default;
  SvgScale(double low, double high, double length, double inset, bool log);

  // A scale of figures: from zero if all are positive, to a round number. A log scale has no zero.
  static SvgScale of_figures(const std::vector<double>& values, double length, bool log);

  // Pixels from the axis' begin. Values without a place on a log scale stand at its begin.
  double at(double value) const;
  // Round values inside of it, about `about` if it is not a scale of figures.
  std::vector<double> marks(int about) const;

 private:
  double low_ = 0, high_ = 1, length_ = 1, inset_ = 0;
  double step_ = 0;  // between marks, if it is known
  bool log_ = false;
};

}  // namespace sweepd::report
