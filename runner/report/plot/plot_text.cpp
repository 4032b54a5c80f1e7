#include "runner/report/plot/plot_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/printable.h"
#include "runner/base/text.h"
#include "runner/report/plot/plot.h"

namespace sweepd {
namespace {

using report::PlotPoint;
using report::PlotPointList;
using report::PlotPoints;

constexpr std::size_t kUsualWidth = 80;

// "OOM: bf16 at 1024, 2048" for the points that have a word in place of a figure.
std::string words_text(const PlotPointList& points) {
  std::vector<std::string> lines;
  std::string text, last;
  for (const PlotPoint* point : points) {
    if (point->word.empty()) continue;
    std::vector<std::string> where{point->color, point->y};
    std::erase(where, "");
    std::string head = point->word + ":";
    if (!where.empty()) head += " " + join(where, " ");
    if (head == last) {
      text += ", " + point->x;
    } else {
      text += (text.empty() ? "" : "\n") + head + " at " + point->x;
    }
    last = head;
  }
  return text.empty() ? "" : text + "\n";
}

std::string lines_text(const PlotPoints& all, const std::string& facet) {
  std::string text;
  for (const report::PlotLine& line : all.lines) {
    if (line.facet != facet) continue;
    text += fmt::format("{}{}{}: {} = {:.6g}\n", line.name, line.color.empty() ? "" : " of ",
                        line.color, all.x_title, line.x);
  }
  return text;
}

}  // namespace

std::string to_text(const Plot& plot, std::size_t width) {
  const PlotPoints all(plot);
  if (width == 0) width = kUsualWidth;
  std::string text;
  if (!plot.title.empty()) text += plot.title + "\n";
  text += plot.caption + "\n";
  if (all.points.empty())
    return printable(plot.title) + (plot.title.empty() ? "" : ": ") + "No points.\n";
  for (const std::string& facet : all.facets) {
    PlotPointList points;
    for (const PlotPoint& point : all.points) {
      if (point.facet == facet) points.push_back(&point);
    }
    text += "\n";
    if (!facet.empty()) text += fmt::format("{}: {}\n", all.facet_title, facet);
    if (plot.shape.is_heatmap()) {
      text += report::heatmap_text(all, points);
    } else if (plot.shape.mark == PlotMark::kBar) {
      text += report::bars_text(all, points, width);
    } else {  // a curve has no place for words
      text += report::curves_text(plot.shape, all, points, width) + words_text(points);
    }
    text += lines_text(all, facet);
  }
  std::string safe;
  for (const std::string& line : split(text, '\n')) safe += printable(line) + "\n";
  while (safe.ends_with("\n\n")) safe.pop_back();
  return safe;
}

}  // namespace sweepd
