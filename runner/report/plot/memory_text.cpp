#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runner/base/printable.h"
#include "runner/base/units.h"
#include "runner/report/plot/braille_canvas.h"
#include "runner/report/plot/memory_curve.h"
#include "runner/report/plot/memory_plot.h"

namespace sweepd {
namespace {

constexpr std::size_t kHeight = 12;        // rows of characters, 4 dots each
constexpr std::size_t kLeastColumns = 20;  // of the drawing, in a very narrow terminal

// Returns the dots of a character whose two columns are filled with `left` and `right` dots (0 to
// 4) from below.
unsigned filled(int left, int right) {
  constexpr unsigned kLeft[] = {0x40, 0x04, 0x02, 0x01}, kRight[] = {0x80, 0x20, 0x10, 0x08};
  unsigned dots = 0;
  for (int i = 0; i < left; ++i) dots |= kLeft[i];
  for (int i = 0; i < right; ++i) dots |= kRight[i];
  return dots;
}

std::string repeat(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

// One row of the drawing; `heights` are in dots from the bottom.
std::string drawn_row(const std::vector<int>& heights, std::size_t row_from_bottom) {
  std::string line;
  const int below = static_cast<int>(row_from_bottom) * 4;
  for (std::size_t i = 0; i + 1 < heights.size(); i += 2) {
    const int left = std::clamp(heights[i] - below, 0, 4);
    const int right = std::clamp(heights[i + 1] - below, 0, 4);
    line += left + right == 0 ? " " : report::braille(filled(left, right));
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

// "│forward  │backward     │optimizer": names cut to their phases' widths.
std::string phase_row(const MemoryCurve& curve, std::size_t columns) {
  std::string line;
  std::size_t at = 0;
  for (std::size_t i = 0; i < curve.phases.size(); ++i) {
    const PhaseSpan& span = curve.phases[i];
    const auto column = [&](std::int64_t ns) {
      return static_cast<std::size_t>(static_cast<double>(ns) / static_cast<double>(curve.end_ns) *
                                      static_cast<double>(columns));
    };
    const std::size_t begin = std::max(at, column(span.begin_ns));
    const std::size_t end = std::min(columns, column(span.end_ns));
    if (end <= begin) continue;
    line += std::string(begin - at, ' ') + "│";
    const std::string name = (span.phase == "step" ? "" : span.phase).substr(0, end - begin - 1);
    line += name + std::string(end - begin - 1 - name.size(), ' ');
    at = end;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::string time_row(const MemoryPicture& picture, const MemoryCurve& curve, std::size_t columns) {
  const PlotAxis axis =
      time_axis(picture, curve.end_ns, std::max<int>(2, static_cast<int>(columns / 16)));
  std::string line;
  for (const double mark : axis.marks) {
    const double share = mark * axis.unit / static_cast<double>(curve.end_ns);
    const auto at = static_cast<std::size_t>(share * static_cast<double>(columns));
    const std::string label = axis.label(mark);
    if (share > 1 || at < line.size() || at + label.size() > columns) continue;
    line += std::string(at - line.size(), ' ') + label + " ";
  }
  return line + axis.unit_name;
}

}  // namespace

std::string memory_to_text(const MemoryPicture& picture, std::size_t width) {
  const MemoryCurve curve = curve_of(picture.timeline);
  if (curve.peak == nullptr || curve.end_ns == 0) return "";
  const PlotAxis axis = bytes_axis(curve.peak->allocated.value, 6);
  const std::size_t margin = 12;  // "   500 MiB ┤"
  const std::size_t wanted = width == 0 ? 80 : width;
  const std::size_t columns = std::max(wanted, margin + kLeastColumns) - margin;

  std::vector<int> heights;
  for (const std::int64_t bytes : most_per_column(picture.timeline, curve.end_ns, 2 * columns)) {
    const double share = static_cast<double>(bytes) / axis.end;
    heights.push_back(static_cast<int>(std::lround(share * static_cast<double>(4 * kHeight))));
  }
  const Duration peak_time = curve.peak->time;
  std::string text =
      fmt::format("Live memory of one step, rank {}: {}\npeak {} in {} at {}\n", picture.rank,
                  picture.subject, to_human(curve.peak->allocated), curve.peak->phase,
                  picture.by_event ? moment_on(time_axis(picture, curve.end_ns, 2), peak_time.ns)
                                   : to_human(peak_time));
  for (std::size_t row = kHeight; row-- > 0;) {
    // A mark is drawn in the row whose top edge is nearest to it.
    std::string label;
    for (const double mark : axis.marks) {
      const double at = mark * axis.unit / axis.end * static_cast<double>(kHeight);
      if (mark > 0 && std::lround(at) == static_cast<long>(row + 1)) label = axis.label(mark);
    }
    const std::string named = label.empty() ? "" : label + " " + axis.unit_name;
    text += fmt::format("{:>10} {}{}\n", named, label.empty() ? "│" : "┤", drawn_row(heights, row));
  }
  text += fmt::format("{:>10} └{}\n", "0", repeat("─", columns));
  text += std::string(margin, ' ') + phase_row(curve, columns) + "\n";
  text += std::string(margin, ' ') + time_row(picture, curve, columns) + "\n";
  return printable_lines(text);
}

}  // namespace sweepd
