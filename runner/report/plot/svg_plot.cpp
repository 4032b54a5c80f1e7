// A plot as SVG: title, legend, axes, and a panel for each facet.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "runner/report/cell/layout.h"
#include "runner/report/plot/plot.h"
#include "runner/report/plot/svg_panel.h"

namespace sweepd {
namespace {

using report::PlotPoint;
using report::PlotPoints;
using report::SvgAxes;
using report::SvgPanel;
using report::SvgPaper;
using report::SvgScale;
using report::text_width;

constexpr double kLetters = 12, kSmallLetters = 11;  // pixels high
constexpr double kSvgGap = 8, kLegendRow = 19;
constexpr double kWidestName = 190;     // of a value of x
constexpr std::size_t kLongName = 9;    // letters of a name that stands better beside its bar
constexpr std::size_t kMostNamed = 12;  // numbers of x that are all named
constexpr double kSlanted = 0.64;       // sine of 40 degrees
constexpr const char* kLogScale = ", log scale";

class SvgPlot {
 public:
  SvgPlot(const Plot& plot, const PlotPoints& points)
      : plot_(plot), shape_(plot.shape), all_(points) {
    facets_ = points.facets;
    if (facets_.empty()) facets_ = {""};
    choose_size();
    choose_scales();
    choose_margins();
  }

  std::string draw() {
    const std::size_t columns = std::min<std::size_t>(facets_.size(), 3);
    const double wide = left_ + axes_.width + right_;
    width_ = std::max(wide * static_cast<double>(columns), 300.0);
    heading();
    legend();
    const double begin = bottom_of_heading_ + kSvgGap;
    const double high = above_ + axes_.height + below_;
    for (std::size_t i = 0; i < facets_.size(); ++i) {
      const double left = wide * static_cast<double>(i % columns) + left_;
      const std::size_t row = i / columns;
      const double top = begin + high * static_cast<double>(row) + above_;
      panel(facets_[i], left, top);
    }
    const std::size_t rows = (facets_.size() + columns - 1) / columns;
    return paper_.finish(width_, begin + high * static_cast<double>(rows),
                         plot_.title.empty() ? plot_.caption : plot_.title);
  }

 private:
  bool faceted() const { return facets_.size() > 1; }
  bool is_bar() const { return shape_.mark == PlotMark::kBar; }

  void choose_size() {
    axes_.width = faceted() ? 250 : 540;
    axes_.height = faceted() ? 190 : 290;
    axes_.bands = !all_.numeric_x || shape_.has_categories();
    axes_.across = is_bar() && report::widest(all_.xs) > kLongName;
    const auto xs = static_cast<double>(all_.xs.size());
    const bool grouped = is_bar() && !shape_.stacked && all_.colors.size() > 1;
    const double bars = xs * (grouped ? static_cast<double>(all_.colors.size()) : 1);
    if (axes_.across) {
      axes_.height = std::clamp(16 * bars + 8 * xs, 50.0, 1200.0);
    } else if (is_bar()) {
      axes_.width = std::clamp(30 * bars + 20 * xs, faceted() ? 160.0 : 320.0, 760.0);
    } else if (shape_.is_heatmap()) {
      axes_.width = std::clamp(68 * xs, 160.0, 760.0);
      axes_.height = std::clamp(34 * static_cast<double>(all_.ys.size()), 60.0, 700.0);
    }
  }

  void choose_scales() {
    std::vector<double> figures, xs;
    std::map<std::string, double> stacks;
    const bool stacks_up = shape_.mark == PlotMark::kArea || (is_bar() && shape_.stacked);
    for (const PlotPoint& point : all_.points) {
      if (point.x_number) xs.push_back(*point.x_number);
      if (!point.figure) continue;
      figures.push_back(*point.figure);
      if (stacks_up && point.series.empty()) {
        figures.push_back(stacks[point.facet + '\n' + point.x] += *point.figure);
      }
      if (point.low) figures.push_back(*point.low);
      if (point.high) figures.push_back(*point.high);
    }
    axes_.figures =
        SvgScale::of_figures(figures, axes_.across ? axes_.width : axes_.height, shape_.log_y);
    if (axes_.bands) return;
    for (const report::PlotLine& line : all_.lines) xs.push_back(line.x);
    const auto [low, high] = std::minmax_element(xs.begin(), xs.end());
    axes_.x = SvgScale(*low, *high, axes_.width, 14, shape_.log_x);
  }

  const std::vector<std::string>& names_on_the_left() const {
    static const std::vector<std::string> none;
    return axes_.across ? all_.xs : shape_.is_heatmap() ? all_.ys : none;
  }

  void choose_margins() {
    double widest = 0;
    for (const std::string& name : names_on_the_left()) {
      widest = std::max(widest, std::min(kWidestName, text_width(name, kLetters)));
    }
    if (names_on_the_left().empty()) {
      for (const double mark : axes_.figures.marks(5)) {
        widest = std::max(widest, text_width(report::short_number(mark), kLetters));
      }
    }
    left_ = widest + 14;
    above_ = (faceted() ? 20 : 0) + 24;
    below_ = 42;
    if (axes_.bands && !axes_.across) {
      const double room =
          axes_.width / static_cast<double>(std::max<std::size_t>(1, all_.xs.size()));
      double longest = 0;
      for (const std::string& name : all_.xs) {
        longest = std::max(longest, std::min(kWidestName, text_width(name, kLetters)));
      }
      slanted_ = longest > room - 4;
      if (slanted_) {
        below_ += kSlanted * longest;
        left_ = std::max(left_, 0.77 * longest - room / 2 + 4);
      }
    }
  }

  void heading() {
    std::string caption = plot_.caption;
    // A single facet needs no heading.
    if (facets_.size() == 1 && !facets_.front().empty()) {
      caption += fmt::format("; {}: {}", all_.facet_title, facets_.front());
    }
    if (shape_.is_heatmap() && !all_.figure_title.empty()) {
      caption += (caption.empty() ? "" : "; ") + std::string("colour: ") + all_.figure_title;
    }
    double y = 4;
    const auto write = [&](const std::string& text, double size, double letter, const char* kind) {
      if (text.empty()) return;
      const auto fit = static_cast<std::size_t>(width_ / (letter * size));
      for (const std::string& line : report::wrap(text, std::max<std::size_t>(24, fit))) {
        y += size + 4;
        paper_.text(0, y, line, {.kind = kind});
      }
    };
    write(plot_.title, 14, 0.64, "title");  // bold
    write(caption, kSmallLetters, 0.56, "small");
    bottom_of_heading_ = y;
  }

  // Rows of samples with their names, as many side by side as fit.
  void legend() {
    double x = 0, y = bottom_of_heading_ + kSvgGap + 12;
    bool any = false;
    const auto room_for = [&](double wide) {
      if (any && x > 0 && x + wide > width_) {
        x = 0;
        y += kLegendRow;
      }
      any = true;
    };
    if (!shape_.color.empty() && !shape_.is_heatmap()) {
      const std::string title = all_.color_title + ":";
      room_for(text_width(title, kLetters));
      paper_.text(x, y, title, {.kind = "small"});
      x += text_width(title, kLetters) + 6;
      for (std::size_t i = 0; i < all_.colors.size(); ++i) {
        const std::string& name = all_.colors[i];
        const double wide = 16 + text_width(name, kLetters) + 14;
        room_for(wide);
        paper_.rect(x, y - 9, 11, 11, "rx=\"2\" fill=\"" + report::series_color(i) + "\"");
        paper_.text(x + 16, y, name);
        x += wide;
      }
    }
    if (!all_.series.empty()) {
      std::vector<std::string> names{""};
      names.insert(names.end(), all_.series.begin(), all_.series.end());
      for (const std::string& series : names) {
        if (series.empty() && is_bar()) continue;
        const std::string& name = series.empty() ? all_.figure_title : series;
        const double wide = 30 + text_width(name, kLetters) + 14;
        room_for(wide);
        paper_.line(x, y - 4, x + 24, y - 4,
                    "class=\"curve\" stroke=\"currentColor\" " + report::dash_of(all_, series));
        paper_.text(x + 30, y, name);
        x += wide;
      }
    }
    if (any) bottom_of_heading_ = y + 4;
  }

  void panel(const std::string& facet, double left, double top) {
    if (faceted()) {
      paper_.text(left + axes_.width / 2, top - 30,
                  report::shortened(all_.facet_title + ": " + facet, kLetters, axes_.width),
                  {.anchor = "middle"});
    }
    const SvgPanel drawn(shape_, all_, axes_, left, top, facet);
    if (all_.points.empty()) {
      paper_.text(left, top + 20, "No points.", {.kind = "small"});
      return;
    }
    if (!shape_.is_heatmap()) axis_of_figures(left, top);
    axis_of_x(drawn, left, top);
    drawn.draw(paper_);
    // Over the bars that begin there.
    if (!shape_.is_heatmap()) {
      const double bottom = top + axes_.height;
      paper_.line(left, axes_.across ? top : bottom, axes_.across ? left : left + axes_.width,
                  bottom, "class=\"axis\"");
    }
  }

  void axis_of_figures(double left, double top) {
    const double bottom = top + axes_.height;
    for (const double mark : axes_.figures.marks(5)) {
      const double at = axes_.figures.at(mark);
      const std::string label = report::short_number(mark);
      if (axes_.across) {
        paper_.line(left + at, top, left + at, bottom, "class=\"grid\"");
        paper_.text(left + at, bottom + 16, label, {.anchor = "middle"});
      } else {
        paper_.line(left, bottom - at, left + axes_.width, bottom - at, "class=\"grid\"");
        paper_.text(left - 6, bottom - at + 4, label, {.anchor = "end"});
      }
    }
    const double x = axes_.across ? left + axes_.width : std::max(0.0, left - left_);
    paper_.text(x, axes_.across ? bottom + 34 : top - 12,
                all_.figure_title + (shape_.log_y ? kLogScale : ""),
                {.anchor = axes_.across ? "end" : "start", .kind = "small"});
  }

  void axis_of_x(const SvgPanel& panel, double left, double top) {
    const double bottom = top + axes_.height;
    for (std::size_t i = 0; i < names_on_the_left().size(); ++i) {
      const double each = axes_.height / static_cast<double>(names_on_the_left().size());
      paper_.text(left - 6, top + (static_cast<double>(i) + 0.5) * each + 4,
                  report::shortened(names_on_the_left()[i], kLetters, kWidestName),
                  {.anchor = "end"});
    }
    if (shape_.is_heatmap() || axes_.across) {
      paper_.text(std::max(0.0, left - left_), top - 12, axes_.across ? all_.x_title : all_.y_title,
                  {.kind = "small"});
    }
    if (axes_.across) return;
    if (!axes_.bands && all_.xs.size() > kMostNamed) {
      for (const double mark : axes_.x.marks(7)) {
        name_of_x(left + axes_.x.at(mark), bottom, report::short_number(mark));
      }
    } else {
      double free = -1e9;  // where the last name ends
      for (const std::string& text : all_.xs) {
        const double at = panel.along(text, number_of(text));
        const double half = slanted_ ? 7 : text_width(text, kLetters) / 2;
        const bool fits = axes_.bands || at - half > free + 4;
        if (fits) name_of_x(left + at, bottom, report::shortened(text, kLetters, kWidestName));
        if (fits) free = at + half;
      }
    }
    std::string title = all_.x_title + (all_.bytes_x ? " (B)" : "");
    if (shape_.log_x && !axes_.bands) title += kLogScale;
    paper_.text(left + axes_.width / 2, bottom + below_ - 8, title,
                {.anchor = "middle", .kind = "small"});
  }

  void name_of_x(double x, double bottom, const std::string& name) {
    if (!shape_.is_heatmap()) paper_.line(x, bottom, x, bottom + 4, "class=\"axis\"");
    if (slanted_) {
      paper_.text(x + 3, bottom + 14, name, {.anchor = "end", .angle = -40});
    } else {
      paper_.text(x, bottom + 17, name, {.anchor = "middle"});
    }
  }

  double number_of(const std::string& x) const {
    const auto point = std::find_if(all_.points.begin(), all_.points.end(),
                                    [&](const PlotPoint& each) { return each.x == x; });
    return point == all_.points.end() ? 0 : point->x_number.value_or(0);
  }

  const Plot& plot_;
  const PlotShape& shape_;
  const PlotPoints& all_;
  std::vector<std::string> facets_;
  SvgAxes axes_;
  SvgPaper paper_;
  double width_ = 0, bottom_of_heading_ = 0;
  double left_ = 0, right_ = 22, above_ = 0, below_ = 0;  // the margins of a panel
  bool slanted_ = false;                                  // the names of x
};

}  // namespace

std::string to_svg(const Plot& plot) {
  PlotPoints points(plot);
  points.leave_out_misplaced(plot.shape);
  return SvgPlot(plot, points).draw();
}

}  // namespace sweepd
