// Bars and heat maps: marks that fill the place of their x.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "runner/report/plot/svg_panel.h"

namespace sweepd::report {
namespace {

constexpr double kFilled = 0.78;   // of its band
constexpr double kWidestBar = 56;  // pixels

struct Shade {
  double red, green, blue;
};

std::string mixed(const Shade& from, const Shade& to, double share) {
  const auto part = [&](double a, double b) {
    return static_cast<int>(std::lround(a + (b - a) * std::clamp(share, 0.0, 1.0)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", part(from.red, to.red), part(from.green, to.green),
                     part(from.blue, to.blue));
}

// Speed-ups and ratios are better or worse than 1.
bool is_factor(const std::string& figure) {
  return figure.starts_with("speedup") || figure.starts_with("ratio");
}

}  // namespace

std::pair<double, double> SvgPanel::bar_place(const PlotPoint& point) const {
  const double room = kFilled * band();
  if (shape_.stacked || all_.colors.size() < 2) return {place(point), std::min(room, kWidestBar)};
  const auto color = std::find(all_.colors.begin(), all_.colors.end(), point.color);
  const auto count = static_cast<double>(all_.colors.size());
  const auto index = static_cast<double>(color - all_.colors.begin());
  const double width = std::min(room / count, kWidestBar);
  return {place(point) + (index - (count - 1) / 2) * width, width};
}

void SvgPanel::bar(SvgPaper& paper, const PlotPoint& point, double from, double to) const {
  const auto [middle, width] = bar_place(point);
  const double low = axes_.figures.at(std::min(from, to));
  const double high = axes_.figures.at(std::max(from, to));
  const std::string style = "class=\"mark\" fill=\"" + color_of(point.color) + "\"";
  const double begin = middle - width / 2, thick = std::max(1.0, width - 1);
  if (axes_.across) {
    paper.rect(left_ + low, top_ + begin, high - low, thick, style, tip(point));
  } else {
    paper.rect(left_ + begin, top_ + axes_.height - high, thick, high - low, style, tip(point));
  }
}

// A tick across the bar.
void SvgPanel::bar_beside(SvgPaper& paper, const PlotPoint& point) const {
  const auto [middle, width] = bar_place(point);
  const double at = axes_.figures.at(*point.figure), half = width / 2 + 2;
  const std::string style =
      "class=\"curve\" stroke=\"currentColor\" " + dash_of(all_, point.series);
  if (axes_.across) {
    paper.line(left_ + at, top_ + middle - half, left_ + at, top_ + middle + half, style);
  } else {
    const double y = top_ + axes_.height - at;
    paper.line(left_ + middle - half, y, left_ + middle + half, y, style);
  }
}

void SvgPanel::bars(SvgPaper& paper) const {
  std::map<double, double> reached;  // by place
  for (const std::string& color : all_.colors) {
    for (const PlotPoint* point : line_of(color, "")) {
      double& base = reached[place(*point)];
      const double from = shape_.stacked ? base : 0;
      bar(paper, *point, from, from + *point->figure);
      base += *point->figure;
      if (!point->low || !point->high || shape_.stacked) continue;
      const double middle = bar_place(*point).first;
      const double low = axes_.figures.at(*point->low), high = axes_.figures.at(*point->high);
      const std::string style = "class=\"spread\" stroke=\"currentColor\"";
      if (axes_.across) {
        paper.line(left_ + low, top_ + middle, left_ + high, top_ + middle, style);
      } else {
        const double bottom = top_ + axes_.height;
        paper.line(left_ + middle, bottom - low, left_ + middle, bottom - high, style);
      }
    }
  }
  for (const PlotPoint* point : points_) {
    if (point->figure && !point->series.empty()) bar_beside(paper, *point);
  }
}

void SvgPanel::heatmap(SvgPaper& paper) const {
  double least = 0, most = 0;
  bool any = false;
  for (const PlotPoint& point : all_.points) {  // of all panels, so that they can be compared
    if (!point.figure) continue;
    least = any ? std::min(least, *point.figure) : *point.figure;
    most = any ? std::max(most, *point.figure) : *point.figure;
    any = true;
  }
  const bool factor = is_factor(shape_.figure);
  const double reach = std::max({most - 1, 1 - least, 1e-9});
  const auto rows = static_cast<double>(std::max<std::size_t>(1, all_.ys.size()));
  const double height = axes_.height / rows;
  for (const PlotPoint* point : points_) {
    const auto row = std::find(all_.ys.begin(), all_.ys.end(), point->y) - all_.ys.begin();
    const double left = left_ + place(*point) - band() / 2;
    const double top = top_ + static_cast<double>(row) * height;
    const double middle = top + height / 2 + 4;
    if (!point->figure) {
      paper.text(left + band() / 2, middle, point->word,
                 {.anchor = "middle", .kind = "strong", .fill = "#d14"});
      continue;
    }
    // How far from the pale end of the colours.
    const double share = factor         ? std::abs(*point->figure - 1) / reach
                         : most > least ? (*point->figure - least) / (most - least)
                                        : 0.3;
    const Shade pale{222, 235, 247};
    const Shade dark = factor && *point->figure < 1 ? Shade{178, 24, 43} : Shade{8, 64, 129};
    paper.rect(
        left + 0.5, top + 0.5, band() - 1, height - 1,
        "class=\"mark\" fill=\"" + mixed(factor ? Shade{247, 247, 247} : pale, dark, share) + "\"",
        tip(*point));
    paper.text(left + band() / 2, middle, fmt::format("{:.3g}", *point->figure),
               {.anchor = "middle", .fill = share > 0.5 ? "#fff" : "#000"});
  }
}

}  // namespace sweepd::report
