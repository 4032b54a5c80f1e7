// Bars and heat maps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runner/base/text.h"
#include "runner/report/plot/plot_text.h"

namespace sweepd::report {
namespace {

constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
constexpr const char* kShades[] = {" ", "░", "▒", "▓", "█"};

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t have = display_width(text);
  return text + std::string(width > have ? width - have : 0, ' ');
}

std::string bar(double share, std::size_t columns) {
  const auto eighths = static_cast<std::size_t>(
      std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(8 * columns)));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text + kEighths[eighths % 8];
}

double largest(const PlotPointList& points) {
  double most = 0;
  for (const PlotPoint* point : points) most = std::max(most, point->figure.value_or(0));
  return most;
}

// "  Floor 0.4": the figures of the series beside a bar, which has no place for their marks.
std::string beside_text(const PlotPointList& points, const PlotPoint& bar) {
  std::string text;
  for (const PlotPoint* point : points) {
    if (point->series.empty() || point->x != bar.x || point->color != bar.color) continue;
    text += fmt::format("  {} {:.4g}", point->series, *point->figure);
  }
  return text;
}

}  // namespace

std::string bars_text(const PlotPoints& all, const PlotPointList& points, std::size_t width) {
  const std::size_t xs = widest(all.xs), colors = widest(all.colors);
  const std::size_t names = xs + (colors > 0 ? colors + 2 : 0);
  const std::size_t columns = std::max<std::size_t>(width, names + 32) - names - 14;
  const double most = largest(points);
  std::string text = fmt::format("{}  {}\n", padded(all.x_title, names), all.figure_title);
  for (const std::string& x : all.xs) {
    for (const PlotPoint* point : points) {
      if (point->x != x || !point->series.empty()) continue;
      std::string name = padded(x, xs);
      if (colors > 0) name += "  " + padded(point->color, colors);
      const std::string drawn = point->figure ? bar(most > 0 ? *point->figure / most : 0, columns) +
                                                    fmt::format(" {:.4g}", *point->figure)
                                              : point->word;
      text += fmt::format("{}  {}{}\n", name, drawn, beside_text(points, *point));
    }
  }
  return text;
}

std::string heatmap_text(const PlotPoints& all, const PlotPointList& points) {
  double least = 0, most = 0;
  bool any = false;
  std::vector<std::string> numbers;
  for (const PlotPoint* point : points) {
    numbers.push_back(point->figure ? fmt::format("{:.3g}", *point->figure) : point->word);
    if (!point->figure) continue;
    least = any ? std::min(least, *point->figure) : *point->figure;
    most = any ? std::max(most, *point->figure) : *point->figure;
    any = true;
  }
  const std::size_t rows = std::max(widest(all.ys), display_width(all.y_title));
  const std::size_t cell = std::max(widest(all.xs), widest(numbers) + 3) + 1;
  std::string text =
      fmt::format("{}: {}\n{}", all.figure_title, all.x_title, padded(all.y_title, rows));
  for (const std::string& x : all.xs) text += "  " + padded(x, cell);
  for (const std::string& y : all.ys) {
    text += "\n" + padded(y, rows);
    for (const std::string& x : all.xs) {
      const auto found = std::find_if(points.begin(), points.end(), [&](const PlotPoint* point) {
        return point->x == x && point->y == y && point->series.empty();
      });
      std::string shown;
      if (found != points.end() && (*found)->figure) {
        const double share = most > least ? (*(*found)->figure - least) / (most - least) : 1;
        const char* shade = kShades[std::min<long>(4, std::lround(share * 4))];
        shown = fmt::format("{0}{0} {1:.3g}", shade, *(*found)->figure);
      } else if (found != points.end()) {
        shown = "   " + (*found)->word;
      }
      text += "  " + padded(shown, cell);
    }
    while (text.ends_with(' ')) text.pop_back();
  }
  return text + "\n";
}

}  // namespace sweepd::report
