// The timeline of live memory as SVG.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "runner/base/units.h"
#include "runner/report/cell/layout.h"
#include "runner/report/plot/memory_curve.h"
#include "runner/report/plot/memory_plot.h"
#include "runner/report/plot/svg_paper.h"

namespace sweepd {
namespace {

using report::pixels;
using report::text_width;

constexpr double kLeft = 54, kTop = 74, kAcross = 640, kHigh = 280;  // pixels
constexpr double kRoomForPeak = 1.1;                                 // above the highest point

class MemorySvg {
 public:
  MemorySvg(const MemoryPicture& picture, const MemoryCurve& curve)
      : picture_(picture), curve_(curve), shown_(points_to_draw(picture.timeline, curve.end_ns)) {
    for (const MemoryPoint& point : picture.timeline) {
      most_ = std::max({most_, point.allocated.value, point.reserved.value});
      reserves_ = reserves_ || point.reserved != point.allocated;
    }
  }

  std::string draw() {
    const std::string title = fmt::format("Live memory of one step, rank {}", picture_.rank);
    paper_.text(0, 16, title, {.kind = "title"});
    double y = 20;
    for (const std::string& line : report::wrap(picture_.subject, 100)) {
      paper_.text(0, y += 15, line, {.kind = "small"});
    }
    lower_ = y > 35 ? y - 35 : 0;
    phases();
    axes();
    bands();
    if (reserves_) reserved();
    peak();
    legend();
    return paper_.finish(kLeft + kAcross + 16, top() + kHigh + 66, title);
  }

 private:
  double top() const { return kTop + lower_; }
  double x(std::int64_t ns) const {
    return kLeft + kAcross * static_cast<double>(ns) / static_cast<double>(curve_.end_ns);
  }
  double y(double bytes) const {
    return top() + kHigh * (1 - bytes / (kRoomForPeak * static_cast<double>(most_)));
  }

  void phases() {
    for (const PhaseSpan& span : curve_.phases) {
      if (span.phase == "step") continue;
      const double left = x(span.begin_ns), width = x(span.end_ns) - left;
      paper_.rect(left, top(), width, kHigh,
                  "fill=\"currentColor\" fill-opacity=\".05\" stroke=\"currentColor\" "
                  "stroke-opacity=\".2\"",
                  "phase: " + span.phase);
      if (text_width(span.phase, 11) > width) continue;
      paper_.text(left + width / 2, top() - 6, span.phase, {.anchor = "middle", .kind = "small"});
    }
  }

  void axes() {
    const PlotAxis bytes = bytes_axis(most_, 5), time = time_axis(picture_, curve_.end_ns, 8);
    for (const double mark : bytes.marks) {
      const double at = y(mark * bytes.unit);
      if (at < top()) continue;
      paper_.line(kLeft, at, kLeft + kAcross, at, "class=\"grid\"");
      paper_.text(kLeft - 6, at + 4, bytes.label(mark), {.anchor = "end"});
    }
    const double bottom = top() + kHigh;
    for (const double mark : time.marks) {
      if (mark * time.unit > static_cast<double>(curve_.end_ns)) continue;
      const double at = x(static_cast<std::int64_t>(mark * time.unit));
      paper_.line(at, bottom, at, bottom + 4, "class=\"axis\"");
      paper_.text(at, bottom + 17, time.label(mark), {.anchor = "middle"});
    }
    paper_.text(0, top() - 8, bytes.unit_name, {.kind = "small"});
    paper_.text(kLeft + kAcross, bottom + 34, title_of_time(time),
                {.anchor = "end", .kind = "small"});
    paper_.line(kLeft, bottom, kLeft + kAcross, bottom, "class=\"axis\"");
  }

  // A line of steps through the levels at the shown points; each lasts until the next one.
  std::string steps(const std::vector<double>& levels, bool back) const {
    std::string data;
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      const double at = x(picture_.timeline[shown_[i]].time.ns);
      const double until =
          i + 1 < shown_.size() ? x(picture_.timeline[shown_[i + 1]].time.ns) : kLeft + kAcross;
      const double begin = back ? until : at, end = back ? at : until;
      const std::string level = pixels(y(levels[i]));
      data.insert(back ? 0 : data.size(),
                  fmt::format("L{} {}L{} {}", pixels(begin), level, pixels(end), level));
    }
    return data;
  }

  void bands() {
    std::vector<double> below(shown_.size(), 0);
    for (const MemoryBand& band : picture_.bands) {
      std::vector<double> above = below;
      for (std::size_t i = 0; i < shown_.size(); ++i) {
        above[i] += static_cast<double>(band.bytes[shown_[i]].value);
      }
      std::string data = steps(above, false) + steps(below, true) + "Z";
      data[0] = 'M';
      paper_.path(data, fmt::format("fill=\"{}\" fill-opacity=\".85\"", colour_of_kind(band.kind)),
                  kind_in_words(band.kind));
      below = std::move(above);
    }
  }

  void reserved() {
    std::vector<double> levels;
    for (const std::size_t i : shown_) {
      levels.push_back(static_cast<double>(picture_.timeline[i].reserved.value));
    }
    std::string data = steps(levels, false);
    data[0] = 'M';
    paper_.path(data, "class=\"curve\" stroke=\"currentColor\" stroke-dasharray=\"5 3\"");
  }

  void peak() {
    const MemoryPoint& peak = *curve_.peak;
    const double at = x(peak.time.ns), height = y(static_cast<double>(peak.allocated.value));
    const PlotAxis time = time_axis(picture_, curve_.end_ns, 8);
    const std::string label = fmt::format("peak {} in {}, at {}", to_human(peak.allocated),
                                          peak.phase, moment_on(time, peak.time.ns));
    const bool on_the_left = at > kLeft + kAcross / 2;
    paper_.line(at, top(), at, height, "class=\"spread\" stroke=\"#d14\"");
    paper_.dot(at, height, "#d14", label);
    paper_.text(at + (on_the_left ? -5 : 5), top() + 11, label,
                {.anchor = on_the_left ? "end" : "start", .kind = "strong", .fill = "#d14"});
  }

  void legend() {
    double at = kLeft;
    const double y = top() + kHigh + 56;
    for (const MemoryBand& band : picture_.bands) {
      const std::string name = kind_in_words(band.kind);
      paper_.rect(at, y - 9, 11, 11,
                  fmt::format("rx=\"2\" fill=\"{}\"", colour_of_kind(band.kind)));
      paper_.text(at + 16, y, name);
      at += 30 + text_width(name, 12);
    }
    if (!reserves_) return;
    paper_.line(at, y - 4, at + 24, y - 4,
                "class=\"curve\" stroke=\"currentColor\" stroke-dasharray=\"5 3\"");
    paper_.text(at + 30, y, "reserved by the allocator");
  }

  const MemoryPicture& picture_;
  const MemoryCurve& curve_;
  std::vector<std::size_t> shown_;  // points of the timeline
  report::SvgPaper paper_;
  std::int64_t most_ = 1;
  double lower_ = 0;  // by how much a long subject moves the drawing down
  bool reserves_ = false;
};

}  // namespace

std::string memory_to_svg(const MemoryPicture& picture) {
  const MemoryCurve curve = curve_of(picture.timeline);
  if (curve.peak == nullptr || curve.end_ns == 0) return "";
  return MemorySvg(picture, curve).draw();
}

}  // namespace sweepd
