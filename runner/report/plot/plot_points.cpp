#include "runner/report/plot/plot_points.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/report/cell/cell.h"

namespace sweepd::report {
namespace {

void add_once(std::vector<std::string>& all, const std::string& text) {
  if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
}

std::string with_unit(const Column& column) {
  const bool bare = column.unit.empty() || column.unit == "1";
  return bare ? column.name : column.name + " (" + column.unit + ")";
}

// The number of a cell, if it has one that can be drawn: programs also report infinity.
std::optional<double> number_in(const Cell& cell) {
  return cell.number && std::isfinite(*cell.number) ? cell.number : std::nullopt;
}

// The word in place of a figure; "" for one that was never requested or not measured.
std::string word_in(const Cell& cell) {
  if (number_in(cell) || cell.text == "—") return "";
  return cell.text.find(mark_of(Verdict::kInvalid)) == std::string::npos ? cell.text : "invalid";
}

std::size_t block_size() {
  return 1 + plot_words().size();
}

std::size_t bounds_of(PlotSpread spread) {
  if (spread == PlotSpread::kNone) return 0;
  return spread == PlotSpread::kMinMax ? 2 : 1;
}

// Sets the ends of the spread from the bounds at `first`.
void set_spread(PlotPoint& point, PlotSpread spread, const std::vector<Cell>& row,
                std::size_t first) {
  if (!point.figure || spread == PlotSpread::kNone) return;
  const auto bound = number_in(row[first]);
  if (spread == PlotSpread::kMinMax) {
    point.low = bound;
    point.high = number_in(row[first + block_size()]);
  } else if (bound) {
    point.low = *point.figure - *bound;
    point.high = *point.figure + *bound;
  }
}

class Reader {
 public:
  Reader(const Plot& plot, PlotPoints& out) : plot_(plot), out_(out) {
    std::size_t column = 0;
    const auto place = [&](const std::string& name, std::size_t& at, std::string& title) {
      if (name.empty()) return;
      at = column++;
      if (at < plot.data.columns.size()) title = plot.data.columns[at].name;
    };
    place(plot.shape.facet, facet_, out.facet_title);
    place(plot.shape.color, color_, out.color_title);
    place(plot.shape.y, y_, out.y_title);
    place(plot.shape.x, x_, out.x_title);
    figure_ = column;
    beside_ = figure_ + (1 + bounds_of(plot.shape.spread)) * block_size();
  }

  void read() {
    const Table& data = plot_.data;
    if (data.columns.size() <= figure_) return;
    out_.figure_title = with_unit(data.columns[figure_]);
    for (const auto& row : data.rows) {
      add_point(row, figure_, "");
      for (std::size_t at = beside_; at < row.size(); at += block_size()) {
        add_point(row, at, data.columns[at].name);
      }
    }
    for (const auto& row : plot_.lines.rows) read_lines(row);
    order();
  }

 private:
  static std::string text_at(const std::vector<Cell>& row, std::size_t at) {
    return at == kNone ? "" : row[at].text;
  }

  void add_point(const std::vector<Cell>& row, std::size_t at, const std::string& series) {
    PlotPoint point{text_at(row, facet_),
                    text_at(row, color_),
                    text_at(row, y_),
                    text_at(row, x_),
                    number_in(row[x_]),
                    series,
                    number_in(row[at]),
                    {},
                    {},
                    word_in(row[at]),
                    row[at].text,
                    row[at + 1].text,
                    row[at + 2].text,
                    row[at + 3].text,
                    row[at + 4].text};
    if (!point.figure && (point.word.empty() || !series.empty())) return;
    if (series.empty()) set_spread(point, plot_.shape.spread, row, at + block_size());
    add_once(out_.xs, point.x);
    add_once(out_.ys, point.y);
    add_once(out_.colors, point.color);
    add_once(out_.facets, point.facet);
    if (!series.empty()) add_once(out_.series, series);
    out_.points.push_back(std::move(point));
  }

  void read_lines(const std::vector<Cell>& row) {
    const std::size_t first = (facet_ == kNone ? 0 : 1) + (color_ == kNone ? 0 : 1);
    for (std::size_t at = first; at < row.size(); at += block_size()) {
      const auto x = number_in(row[at]);
      if (!x) continue;
      out_.lines.push_back(
          {text_at(row, facet_), text_at(row, color_), plot_.lines.columns[at].name, *x});
    }
  }

  // Sizes are numbers too, although tables show them as text.
  void read_sizes() {
    const auto is_size = [](const PlotPoint& point) { return parse_bytes(point.x).ok(); };
    if (!std::all_of(out_.points.begin(), out_.points.end(), is_size)) return;
    for (PlotPoint& point : out_.points) {
      point.x_number = static_cast<double>(parse_bytes(point.x)->value);
    }
    out_.bytes_x = true;
  }

  // Numbers ascend. Other values keep the order in which the table has them.
  void order() {
    const auto& points = out_.points;
    const auto numeric = [&] {
      return !points.empty() && std::all_of(points.begin(), points.end(), [](const auto& point) {
        return point.x_number.has_value();
      });
    };
    if (!numeric()) read_sizes();
    out_.numeric_x = numeric();
    if (!out_.numeric_x) return;
    const auto number = [&](const std::string& text) {
      return *std::find_if(points.begin(), points.end(), [&](const auto& point) {
                return point.x == text;
              })->x_number;
    };
    std::stable_sort(out_.xs.begin(), out_.xs.end(),
                     [&](const auto& a, const auto& b) { return number(a) < number(b); });
  }

  static constexpr std::size_t kNone = SIZE_MAX;
  const Plot& plot_;
  PlotPoints& out_;
  std::size_t facet_ = kNone, color_ = kNone, y_ = kNone, x_ = kNone;
  std::size_t figure_ = 0, beside_ = 0;
};

}  // namespace

const std::vector<std::string>& plot_words() {
  static const std::vector<std::string> words{"n", "verdict", "outcome", "attempt"};
  return words;
}

std::size_t widest(const std::vector<std::string>& texts) {
  std::size_t width = 0;
  for (const std::string& text : texts) width = std::max(width, display_width(text));
  return width;
}

PlotPoints::PlotPoints(const Plot& plot) {
  Reader(plot, *this).read();
}

bool PlotPoints::has_place(const PlotShape& shape, const PlotPoint& point) const {
  if (shape.log_x && numeric_x && *point.x_number <= 0) return false;
  return !shape.log_y || !point.figure || *point.figure > 0;
}

void PlotPoints::leave_out_misplaced(const PlotShape& shape) {
  std::erase_if(points, [&](const PlotPoint& point) { return !has_place(shape, point); });
  if (shape.log_x) std::erase_if(lines, [](const PlotLine& line) { return line.x <= 0; });
  std::erase_if(xs, [&](const std::string& x) {
    return std::none_of(points.begin(), points.end(),
                        [&](const PlotPoint& point) { return point.x == x; });
  });
}

}  // namespace sweepd::report
