#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runner/base/units.h"
#include "runner/report/markup.h"
#include "runner/report/memory_curve.h"
#include "runner/report/memory_plot.h"

namespace sweepd {
namespace {

constexpr double kWidth = 960, kHeight = 480;
constexpr double kLeft = 78, kRight = 940, kTop = 66, kBottom = 414;  // of the plot's area

class Svg {
 public:
  Svg(const MemoryPicture& picture, const MemoryCurve& curve, std::int64_t most)
      : picture_(picture),
        curve_(curve),
        bytes_(bytes_axis(most, 5)),
        time_(time_axis(curve.end_ns, 8)) {}

  std::string draw() {
    open();
    phases();
    area();
    held();
    grid();
    curves();
    peak();
    legend();
    return text_ + "</svg>\n";
  }

 private:
  double x(double ns) const {
    return kLeft + ns / static_cast<double>(curve_.end_ns) * (kRight - kLeft);
  }
  double y(double bytes) const { return kBottom - bytes / bytes_.end * (kBottom - kTop); }
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    text_ += fmt::format(format, std::forward<Values>(values)...);
    text_ += '\n';
  }

  void open();
  void phases();
  void area();
  void held();
  void grid();
  void curves();
  void peak();
  void legend();
  bool shows_reserved() const;
  std::string steps(Bytes MemoryPoint::*value) const;

  const MemoryPicture& picture_;
  const MemoryCurve& curve_;
  PlotAxis bytes_, time_;
  std::string text_;
  std::vector<std::pair<std::string, std::string>> legend_;  // colour, text
};

void Svg::open() {
  add(R"svg(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" font-family="Helvetica, Arial, sans-serif" font-size="12" fill="#222">)svg",
      kWidth, kHeight);
  add(R"svg(<rect width="{:g}" height="{:g}" fill="white"/>)svg", kWidth, kHeight);
  add(R"svg(<text x="{:g}" y="24" font-size="15" font-weight="bold">Live memory of one step, rank {}</text>)svg",
      kLeft, picture_.rank);
  add(R"svg(<text x="{:g}" y="42" fill="#555">{}</text>)svg", kLeft,
      report::escape_markup(picture_.subject));
}

void Svg::phases() {
  constexpr std::array kTints{"#eaf1fb", "#fdf1e3", "#eaf6ec", "#f6ecf7"};
  std::size_t count = 0;
  for (const PhaseSpan& span : curve_.phases) {
    if (span.phase == "step") continue;
    const double left = x(static_cast<double>(span.begin_ns));
    const double right = x(static_cast<double>(span.end_ns));
    add(R"svg(<rect x="{:.1f}" y="{:g}" width="{:.1f}" height="{:g}" fill="{}"/>)svg", left, kTop,
        right - left, kBottom - kTop, kTints[count++ % kTints.size()]);
    // About 7 units per letter. A name that does not fit is in the table beside the picture.
    if (right - left > 7.0 * static_cast<double>(span.phase.size())) {
      add(R"svg(<text x="{:.1f}" y="{:g}" text-anchor="middle" fill="#555">{}</text>)svg",
          (left + right) / 2, kTop - 6, report::escape_markup(span.phase));
    }
  }
}

void Svg::area() {
  add(R"svg(<path d="{}V{:g}H{:g}Z" fill="#2b6cb0" fill-opacity="0.18"/>)svg",
      steps(&MemoryPoint::allocated), kBottom, kLeft);
}

// Drawn opaque on top of the area: the step did not allocate what was there before it.
void Svg::held() {
  constexpr std::array kColours{"#9fb7d6", "#d9c29c", "#b5cfae", "#cccccc"};
  double below = 0;
  std::size_t count = 0;
  for (const auto& [kind, size] : picture_.held) {
    const auto bytes = static_cast<double>(size.value);
    const char* colour = kColours[count++ % kColours.size()];
    add(R"svg(<rect x="{:g}" y="{:.2f}" width="{:g}" height="{:.2f}" fill="{}"/>)svg", kLeft,
        y(below + bytes), kRight - kLeft, y(below) - y(below + bytes), colour);
    std::string words = kind;
    std::replace(words.begin(), words.end(), '_', ' ');
    legend_.emplace_back(colour, fmt::format("{} {}", words, to_human(size)));
    below += bytes;
  }
}

void Svg::grid() {
  for (const double mark : bytes_.marks) {
    const double at = y(mark * bytes_.unit);
    add(R"svg(<line x1="{:g}" y1="{:.1f}" x2="{:g}" y2="{:.1f}" stroke="#ccc" stroke-width="0.6"/>)svg",
        kLeft, at, kRight, at);
    add(R"svg(<text x="{:g}" y="{:.1f}" text-anchor="end">{}</text>)svg", kLeft - 8, at + 4,
        bytes_.label(mark));
  }
  for (const double mark : time_.marks) {
    const double ns = mark * time_.unit;
    if (ns > static_cast<double>(curve_.end_ns)) continue;
    add(R"svg(<line x1="{0:.1f}" y1="{1:g}" x2="{0:.1f}" y2="{2:g}" stroke="#555"/>)svg", x(ns),
        kBottom, kBottom + 5);
    add(R"svg(<text x="{:.1f}" y="{:g}" text-anchor="middle">{}</text>)svg", x(ns), kBottom + 19,
        time_.label(mark));
  }
  add(R"svg(<rect x="{:g}" y="{:g}" width="{:g}" height="{:g}" fill="none" stroke="#555"/>)svg",
      kLeft, kTop, kRight - kLeft, kBottom - kTop);
  add(R"svg(<text transform="translate(18 {:g}) rotate(-90)" text-anchor="middle">{}</text>)svg",
      (kTop + kBottom) / 2, bytes_.unit_name);
  add(R"svg(<text x="{:g}" y="{:g}" text-anchor="end">{}</text>)svg", kRight, kBottom + 36,
      time_.unit_name);
}

// Draws to the right, then up or down: memory changes in steps.
std::string Svg::steps(Bytes MemoryPoint::*value) const {
  std::string path;
  double last_y = 0;
  for (const MemoryPoint& point : picture_.timeline) {
    const double px = x(static_cast<double>(point.time.ns));
    const double py = y(static_cast<double>((point.*value).value));
    if (path.empty()) {
      path = fmt::format("M{:.2f} {:.2f}", px, py);
    } else if (py != last_y) {
      path += fmt::format("H{:.2f}V{:.2f}", px, py);
    }
    last_y = py;
  }
  return path + fmt::format("H{:g}", kRight);
}

bool Svg::shows_reserved() const {
  return std::any_of(picture_.timeline.begin(), picture_.timeline.end(),
                     [](const MemoryPoint& point) { return point.reserved != point.allocated; });
}

void Svg::curves() {
  add(R"svg(<path d="{}" fill="none" stroke="#2b6cb0" stroke-width="1.3"/>)svg",
      steps(&MemoryPoint::allocated));
  legend_.emplace_back("#2b6cb0", "live (allocated)");
  if (!shows_reserved()) return;
  add(R"svg(<path d="{}" fill="none" stroke="#999" stroke-width="1.2" stroke-dasharray="5 3"/>)svg",
      steps(&MemoryPoint::reserved));
  legend_.emplace_back("#999", "reserved by the allocator");
}

void Svg::peak() {
  const double px = x(static_cast<double>(curve_.peak->time.ns));
  const double py = y(static_cast<double>(curve_.peak->allocated.value));
  const bool on_the_left = px > (kLeft + kRight) / 2;
  add(R"svg(<circle cx="{:.1f}" cy="{:.1f}" r="4" fill="#c53030"/>)svg", px, py);
  add(R"svg(<text x="{:.1f}" y="{:.1f}" text-anchor="{}" font-weight="bold" fill="#c53030">peak {} in {}</text>)svg",
      on_the_left ? px - 6 : px + 6, std::max(py - 8, kTop + 14), on_the_left ? "end" : "start",
      to_human(curve_.peak->allocated), report::escape_markup(curve_.peak->phase));
}

void Svg::legend() {
  double at = kLeft;
  for (const auto& [colour, words] : legend_) {
    add(R"svg(<rect x="{:.1f}" y="{:g}" width="11" height="11" fill="{}"/>)svg", at, kHeight - 22,
        colour);
    add(R"svg(<text x="{:.1f}" y="{:g}">{}</text>)svg", at + 16, kHeight - 12,
        report::escape_markup(words));
    at += 34 + 6.6 * static_cast<double>(words.size());
  }
}

}  // namespace

std::string memory_to_svg(const MemoryPicture& picture) {
  const MemoryCurve curve = curve_of(picture.timeline);
  if (curve.peak == nullptr || curve.end_ns == 0) return "";
  std::int64_t most = curve.peak->allocated.value;
  for (const MemoryPoint& point : picture.timeline) most = std::max(most, point.reserved.value);
  return Svg(picture, curve, most).draw();
}

}  // namespace sweepd
