#include "runner/report/plot/svg_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sweepd::report {
namespace {

std::size_t place_in(const std::vector<std::string>& all, const std::string& text) {
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), text) - all.begin());
}

std::string corner(double x, double y) {
  return pixels(x) + " " + pixels(y);
}

// "M1 2L3 4"
std::string polyline(const std::vector<std::pair<double, double>>& corners) {
  std::string data;
  for (const auto& [x, y] : corners) data += (data.empty() ? "M" : "L") + corner(x, y);
  return data;
}

}  // namespace

std::string dash_of(const PlotPoints& all, const std::string& series) {
  if (series.empty()) return "";
  return place_in(all.series, series) == 0 ? "stroke-dasharray=\"5 3\""
                                           : "stroke-dasharray=\"2 3\"";
}

SvgPanel::SvgPanel(const PlotShape& shape, const PlotPoints& all, const SvgAxes& axes, double left,
                   double top, const std::string& facet)
    : shape_(shape), all_(all), axes_(axes), left_(left), top_(top) {
  for (const PlotPoint& point : all.points) {
    if (point.facet == facet) points_.push_back(&point);
  }
  for (const PlotLine& line : all.lines) {
    if (line.facet == facet) lines_.push_back(&line);
  }
}

double SvgPanel::band() const {
  const double length = axes_.across ? axes_.height : axes_.width;
  return length / static_cast<double>(std::max<std::size_t>(1, all_.xs.size()));
}

double SvgPanel::along(const std::string& x, double number) const {
  if (!axes_.bands) return axes_.x.at(number);
  return (static_cast<double>(place_in(all_.xs, x)) + 0.5) * band();
}

double SvgPanel::place(const PlotPoint& point) const {
  return along(point.x, point.x_number.value_or(0));
}

std::string SvgPanel::color_of(const std::string& color) const {
  return series_color(shape_.color.empty() ? 0 : place_in(all_.colors, color));
}

std::string SvgPanel::tip(const PlotPoint& point) const {
  std::string text;
  const auto add = [&](const std::string& title, const std::string& value) {
    if (!value.empty()) text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", title, value);
  };
  if (!point.series.empty()) text = point.series;
  if (!shape_.facet.empty()) add(all_.facet_title, point.facet);
  if (!shape_.color.empty()) add(all_.color_title, point.color);
  if (shape_.is_heatmap()) add(all_.y_title, point.y);
  add(all_.x_title, point.x);
  add(all_.figure_title, point.figure ? fmt::format("{:.6g}", *point.figure) : point.word);
  if (point.low && point.high) {
    add("from", fmt::format("{:.6g} to {:.6g}", *point.low, *point.high));
  }
  add("n", point.n);
  add("verdict", point.verdict);
  add("outcome", point.outcome);
  add("attempt", point.attempt);
  return text;
}

SvgPanel::List SvgPanel::line_of(const std::string& color, const std::string& series) const {
  List line;
  for (const PlotPoint* point : points_) {
    if (point->figure && point->color == color && point->series == series) line.push_back(point);
  }
  std::stable_sort(line.begin(), line.end(),
                   [&](const PlotPoint* a, const PlotPoint* b) { return place(*a) < place(*b); });
  return line;
}

void SvgPanel::draw(SvgPaper& paper) const {
  switch (shape_.mark) {
    case PlotMark::kHeatmap:
      heatmap(paper);
      return;
    case PlotMark::kBar:
      bars(paper);
      break;
    case PlotMark::kArea:
      areas(paper);
      break;
    case PlotMark::kLine:
    case PlotMark::kPoint:
      curves(paper);
  }
  rules(paper);
  words(paper);
}

void SvgPanel::spread(SvgPaper& paper, const List& line, const std::string& color) const {
  std::vector<std::pair<double, double>> upper, lower;
  for (const PlotPoint* point : line) {
    if (!point->low || !point->high) continue;
    upper.emplace_back(x(*point), y(*point->high));
    lower.emplace_back(x(*point), y(*point->low));
  }
  if (!shape_.band) {
    for (std::size_t i = 0; i < upper.size(); ++i) {
      paper.line(upper[i].first, upper[i].second, lower[i].first, lower[i].second,
                 "class=\"spread\" stroke=\"" + color + "\"");
    }
    return;
  }
  upper.insert(upper.end(), lower.rbegin(), lower.rend());
  if (!upper.empty()) paper.path(polyline(upper) + "Z", "class=\"band\" fill=\"" + color + "\"");
}

void SvgPanel::curves(SvgPaper& paper) const {
  std::vector<std::string> series{""};
  series.insert(series.end(), all_.series.begin(), all_.series.end());
  for (const std::string& color_text : all_.colors) {
    const std::string color = color_of(color_text);
    for (const std::string& name : series) {
      const List line = line_of(color_text, name);
      if (name.empty()) spread(paper, line, color);
      std::vector<std::pair<double, double>> corners;
      for (const PlotPoint* point : line) corners.emplace_back(x(*point), y(*point->figure));
      const bool joined = shape_.mark == PlotMark::kLine || !name.empty();
      if (joined && corners.size() > 1) {
        paper.path(polyline(corners),
                   fmt::format("class=\"curve\" stroke=\"{}\" {}", color, dash_of(all_, name)));
      }
    }
  }
  // Dots last, so that no line hides them.
  for (const std::string& color : all_.colors) {
    for (const PlotPoint* point : line_of(color, "")) {
      paper.dot(x(*point), y(*point->figure), color_of(color), tip(*point));
    }
  }
}

void SvgPanel::areas(SvgPaper& paper) const {
  std::map<double, double> reached;  // by place
  for (const std::string& color : all_.colors) {
    const List line = line_of(color, "");
    std::vector<std::pair<double, double>> upper, lower;
    for (const PlotPoint* point : line) {
      double& height = reached[place(*point)];
      lower.emplace_back(x(*point), y(height));
      height += *point->figure;
      upper.emplace_back(x(*point), y(height));
    }
    if (upper.empty()) continue;
    auto corners = upper;
    corners.insert(corners.end(), lower.rbegin(), lower.rend());
    paper.path(polyline(corners) + "Z",
               fmt::format("fill=\"{}\" fill-opacity=\".7\"", color_of(color)), color);
    for (std::size_t i = 0; i < line.size(); ++i) {
      paper.dot(upper[i].first, upper[i].second, color_of(color), tip(*line[i]));
    }
  }
}

void SvgPanel::rules(SvgPaper& paper) const {
  if (axes_.bands) return;  // a number has no place among names
  double label = top_ + 12;
  for (const PlotLine* line : lines_) {
    const double at = left_ + axes_.x.at(line->x);
    const std::string color = color_of(line->color);
    paper.line(at, top_, at, top_ + axes_.height,
               "class=\"spread\" stroke-dasharray=\"4 3\" stroke=\"" + color + "\"");
    const bool turned = at - left_ > 0.7 * axes_.width;
    paper.text(at + (turned ? -4 : 4), label, line->name,
               {.anchor = turned ? "end" : "start", .kind = "small", .fill = color});
    label += 14;  // lines may stand close together
  }
}

// Several series may lack a figure at one x. Their words stand below each other.
void SvgPanel::words(SvgPaper& paper) const {
  std::map<double, int> lanes;
  for (const PlotPoint* point : points_) {
    if (point->figure || point->word.empty()) continue;
    const std::string color = color_of(point->color);
    if (shape_.mark == PlotMark::kBar) {
      const auto [middle, width] = bar_place(*point);
      if (axes_.across) {
        const double lane = shape_.stacked ? axes_.width - 4 : 4;
        paper.text(left_ + lane, top_ + middle + 4, point->word,
                   {.anchor = shape_.stacked ? "end" : "start", .kind = "strong", .fill = color});
        continue;
      }
      if (!shape_.stacked) {
        paper.text(left_ + middle + 4, top_ + axes_.height - 4, point->word,
                   {.kind = "strong", .fill = color, .angle = -90});
        continue;
      }
    }
    const double at = place(*point);
    paper.text(left_ + at, top_ + 11 + 13 * lanes[at]++, point->word,
               {.anchor = "middle", .kind = "strong", .fill = color});
  }
}

}  // namespace sweepd::report
