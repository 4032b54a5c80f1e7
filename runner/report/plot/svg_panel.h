// One panel of a plot as SVG: its axes' places, and the marks in it.
#pragma once

#include <string>
#include <vector>

#include "runner/report/plot/plot_points.h"
#include "runner/report/plot/svg_paper.h"
#include "runner/report/plot/svg_scale.h"

namespace sweepd::report {

// Shared by all panels of a plot.
struct SvgAxes {
  double width = 0, height = 0;  // of a panel, in pixels
  // Bars with long names are horizontal: names on the left, figures to the right.
  bool across = false;
  bool bands = false;  // x lists its values side by side; else it is an axis of numbers
  SvgScale x;          // of numbers
  SvgScale figures;    // upwards, or to the right for horizontal bars
};

class SvgPanel {
 public:
  SvgPanel(const PlotShape& shape, const PlotPoints& all, const SvgAxes& axes, double left,
           double top, const std::string& facet);

  // Draws all marks, without axes.
  void draw(SvgPaper& paper) const;

  // The place of a value of x on its axis, and how much room it has there.
  double along(const std::string& x, double number) const;
  double band() const;

 private:
  using List = std::vector<const PlotPoint*>;

  double place(const PlotPoint& point) const;
  double x(const PlotPoint& point) const { return left_ + place(point); }
  double y(double figure) const { return top_ + axes_.height - axes_.figures.at(figure); }
  std::string color_of(const std::string& color) const;
  std::string tip(const PlotPoint& point) const;
  // The figures of one colour and series, from left to right.
  List line_of(const std::string& color, const std::string& series) const;

  void curves(SvgPaper& paper) const;
  void spread(SvgPaper& paper, const List& line, const std::string& color) const;
  void areas(SvgPaper& paper) const;
  void bars(SvgPaper& paper) const;
  void bar_beside(SvgPaper& paper, const PlotPoint& point) const;
  void heatmap(SvgPaper& paper) const;
  void rules(SvgPaper& paper) const;
  void words(SvgPaper& paper) const;
  // The middle of a bar on the axis of x, and its width.
  std::pair<double, double> bar_place(const PlotPoint& point) const;
  // From one figure to another, in either direction of bars.
  void bar(SvgPaper& paper, const PlotPoint& point, double from, double to) const;

  const PlotShape& shape_;
  const PlotPoints& all_;
  const SvgAxes& axes_;
  double left_, top_;
  List points_;
  std::vector<const PlotLine*> lines_;
};

// The dashes of the series beside the figures; "" for the figures' own.
std::string dash_of(const PlotPoints& all, const std::string& series);

}  // namespace sweepd::report
