#include "runner/report/vega_axis.h"

#include <algorithm>
#include <cmath>

namespace sweepd::report {
namespace {

constexpr std::size_t kMostTicks = 12;  // at the points themselves

// The number that a text of xs has; the points have it.
std::vector<double> numbers_of(const PlotPoints& points) {
  std::vector<double> numbers;
  for (const std::string& text : points.xs) {
    const auto point = std::find_if(points.points.begin(), points.points.end(),
                                    [&](const PlotPoint& each) { return each.x == text; });
    numbers.push_back(*point->x_number);
  }
  return numbers;
}

}  // namespace

Json x_of(const PlotPoints& points, const PlotShape& shape, XAxis direction) {
  Json x = {{"field", "x"}};
  if (!points.numeric_x || shape.has_categories()) {
    x["type"] = "ordinal";
    x["sort"] = points.xs;
    x["axis"] = {{"title", points.x_title},
                 {"labelAngle", direction == XAxis::kDown || widest(points.xs) < 7 ? 0 : -40},
                 {"labelLimit", 260}};
    return x;
  }
  x["type"] = "quantitative";
  Json scale = {{"zero", false}, {"nice", false}};
  Json axis = {{"title", points.x_title}};
  const std::vector<double> numbers = numbers_of(points);
  if (shape.log_x) {
    const bool twos = std::all_of(numbers.begin(), numbers.end(), [](double number) {
      return std::log2(number) == std::round(std::log2(number));
    });
    scale["type"] = "log";
    if (twos) scale["base"] = 2;
  }
  const bool whole = std::all_of(numbers.begin(), numbers.end(),
                                 [](double number) { return number == std::round(number); });
  if (numbers.size() <= kMostTicks) axis["values"] = numbers;
  if (points.bytes_x) {
    axis["title"] = points.x_title + " (B)";
    axis["format"] = "~s";
  } else if (whole) {
    axis["format"] = widest(points.xs) > 6 ? "~s" : "d";
  }
  scale["padding"] = 14;
  x["scale"] = std::move(scale);
  x["axis"] = std::move(axis);
  return x;
}

}  // namespace sweepd::report
