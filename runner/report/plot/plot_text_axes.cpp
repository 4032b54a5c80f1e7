// Curves over two axes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "runner/base/text.h"
#include "runner/report/plot/braille_canvas.h"
#include "runner/report/plot/plot_text.h"

namespace sweepd::report {
namespace {

constexpr std::size_t kRows = 14, kMargin = 12, kLeastColumns = 20;
constexpr const char* kMarks[] = {"●", "○", "■", "□", "▲", "△", "◆", "◇", "+", "×"};

struct Scale {
  double low = 0, high = 1;
  bool log = false;
  double share(double value) const {
    if (log) return (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
    return (value - low) / (high - low);
  }
  double at(double share) const {
    if (log) return std::exp(std::log(low) + share * (std::log(high) - std::log(low)));
    return low + share * (high - low);
  }
};

Scale scale_over(const std::vector<double>& values, bool log, bool from_zero) {
  if (values.empty()) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  Scale scale{*low, *high, log};
  if (from_zero && !log) scale.low = std::min(0.0, *low);
  if (scale.low == scale.high) scale.high = log ? scale.low * 2 : scale.low + 1;
  return scale;
}

class Curves {
 public:
  Curves(const PlotShape& shape, const PlotPoints& all, const PlotPointList& points,
         std::size_t width)
      : shape_(shape),
        all_(all),
        columns_(std::max(width, kMargin + kLeastColumns) - kMargin),
        canvas_(columns_, kRows) {
    std::vector<double> xs, ys;
    for (const PlotPoint* point : points) {
      if (!point->figure || !all.has_place(shape, *point)) continue;
      xs.push_back(x_of(*point));
      ys.push_back(*point->figure);
      series_[key_of(*point)].push_back(point);
    }
    x_ = scale_over(xs, shape.log_x && all.numeric_x, false);
    y_ = scale_over(ys, shape.log_y, true);
  }

  std::string text() {
    if (series_.empty()) return "";
    draw();
    std::string text = fmt::format("{:>10}\n", all_.figure_title);
    for (std::size_t row = 0; row < kRows; ++row) {
      // A label names the value at the top edge of every fourth row.
      const bool named = row % 4 == 0 || row + 1 == kRows;
      const double share = row + 1 == kRows ? 0 : 1 - static_cast<double>(row) / (kRows - 1);
      const std::string label = named ? fmt::format("{:.3g}", y_.at(share)) : "";
      text += fmt::format("{:>10} {}{}\n", label, named ? "┤" : "│", canvas_.row(row));
    }
    std::string rule;
    for (std::size_t i = 0; i < columns_; ++i) rule += "─";
    return text + std::string(kMargin - 1, ' ') + "└" + rule + "\n" + x_labels() + legend();
  }

 private:
  // In the order of the legend: the plot's own figure first.
  using Key = std::pair<std::size_t, std::size_t>;
  Key key_of(const PlotPoint& point) const {
    const auto place = [](const std::vector<std::string>& all, const std::string& text) {
      return static_cast<std::size_t>(std::find(all.begin(), all.end(), text) - all.begin());
    };
    return {point.series.empty() ? 0 : 1 + place(all_.series, point.series),
            place(all_.colors, point.color)};
  }

  double x_of(const PlotPoint& point) const {
    if (all_.numeric_x) return *point.x_number;
    return static_cast<double>(std::find(all_.xs.begin(), all_.xs.end(), point.x) -
                               all_.xs.begin());
  }
  long column(const PlotPoint& point) const {
    return std::lround(x_.share(x_of(point)) * static_cast<double>(canvas_.width() - 1));
  }
  long height(const PlotPoint& point) const {
    return std::lround(y_.share(*point.figure) * static_cast<double>(canvas_.height() - 1));
  }

  void draw() {
    for (auto& [name, list] : series_) {
      std::stable_sort(list.begin(), list.end(),
                       [&](const auto* a, const auto* b) { return x_of(*a) < x_of(*b); });
      for (std::size_t i = 1; i < list.size() && shape_.mark != PlotMark::kPoint; ++i) {
        canvas_.line(column(*list[i - 1]), height(*list[i - 1]), column(*list[i]),
                     height(*list[i]));
      }
    }
    // Marks last, so that no line hides them. A line of very many points shows none.
    std::size_t number = 0;
    for (const auto& [name, list] : series_) {
      const std::string mark = kMarks[number++ % std::size(kMarks)];
      if (list.size() > columns_ / 2) continue;
      for (const PlotPoint* point : list) canvas_.mark(column(*point), height(*point), mark);
    }
  }

  // Each value below its points, if there is room.
  std::string x_labels() const {
    std::string line;
    std::size_t end = 0;
    for (const std::string& text : all_.xs) {
      const PlotPoint* point = point_at(text);
      if (point == nullptr) continue;
      const std::size_t size = display_width(text);
      std::size_t at = kMargin + static_cast<std::size_t>(column(*point)) / 2;
      at = at + size > kMargin + columns_ ? kMargin + columns_ - size : at;
      if (end > 0 && at <= end) continue;
      line += std::string(at - end, ' ') + text;
      end = at + size;
    }
    return line + "\n" + std::string(kMargin, ' ') + all_.x_title + "\n";
  }

  const PlotPoint* point_at(const std::string& x) const {
    for (const auto& [name, list] : series_) {
      for (const PlotPoint* point : list) {
        if (point->x == x) return point;
      }
    }
    return nullptr;
  }

  std::string legend() const {
    if (series_.size() < 2) return "";
    std::vector<std::string> parts;
    for (const auto& [name, list] : series_) {
      const std::string& series = name.first == 0 ? all_.figure_title : all_.series[name.first - 1];
      std::vector<std::string> words{all_.series.empty() ? "" : series, all_.colors[name.second]};
      std::erase(words, "");
      parts.push_back(
          fmt::format("{} {}", kMarks[parts.size() % std::size(kMarks)], join(words, ", ")));
    }
    return std::string(kMargin, ' ') + join(parts, "   ") + "\n";
  }

  const PlotShape& shape_;
  const PlotPoints& all_;
  std::size_t columns_;
  BrailleCanvas canvas_;
  std::map<Key, PlotPointList> series_;
  Scale x_, y_;
};

}  // namespace

std::string curves_text(const PlotShape& shape, const PlotPoints& all, const PlotPointList& points,
                        std::size_t width) {
  return Curves(shape, all, points, width).text();
}

}  // namespace sweepd::report
