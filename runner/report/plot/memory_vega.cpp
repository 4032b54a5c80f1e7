// The timeline of live memory as a Vega-Lite specification.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "runner/base/units.h"
#include "runner/report/plot/memory_curve.h"
#include "runner/report/plot/memory_plot.h"
#include "runner/report/plot/vega_json.h"

namespace sweepd {
namespace {

using report::Json;

constexpr double kWidth = 640, kHeight = 320;  // pixels
constexpr double kHeadroom = 1.14;             // for the peak's label, above the drawing

class MemoryDrawing {
 public:
  MemoryDrawing(const MemoryPicture& picture, const MemoryCurve& curve)
      : picture_(picture), curve_(curve), time_(time_axis(picture, curve.end_ns, 8)) {
    most_ = curve.peak->allocated.value;
    for (const MemoryPoint& point : picture.timeline) {
      most_ = std::max(most_, point.reserved.value);
      reserves_ = reserves_ || point.reserved != point.allocated;
    }
    bytes_ = bytes_axis(most_, 5);
  }

  Json draw() const {
    Json spec = Json::object();
    spec["$schema"] = report::kVegaLiteSchema;
    std::string subtitle = picture_.subject;
    if (reserves_) subtitle += "; dashed: reserved by the allocator";
    spec["title"] = report::vega_title(
        fmt::format("Live memory of one step, rank {}", picture_.rank), subtitle, kWidth);
    spec["width"] = kWidth;
    spec["height"] = kHeight;
    spec["data"] = {{"values", rows()}};
    Json layers = Json::array({phases(), names_of_phases(), bands()});
    if (reserves_) layers.push_back(reserved());
    peak(layers);
    spec["layer"] = std::move(layers);
    spec["config"] = report::vega_config();
    return spec;
  }

 private:
  double time(std::int64_t ns) const { return static_cast<double>(ns) / time_.unit; }
  double bytes(Bytes size) const { return static_cast<double>(size.value) / bytes_.unit; }

  Json rows() const {
    Json rows = Json::array();
    const auto round = [](double value) { return std::round(value * 1e3) / 1e3; };
    for (const std::size_t i : points_to_draw(picture_.timeline, curve_.end_ns)) {
      const MemoryPoint& point = picture_.timeline[i];
      Json row = {{"time", std::round(time(point.time.ns) * 1e5) / 1e5}};
      for (const MemoryBand& band : picture_.bands) {
        row[kind_in_words(band.kind)] = round(bytes(band.bytes[i]));
      }
      if (reserves_) row["reserved"] = round(bytes(point.reserved));
      rows.push_back(std::move(row));
    }
    return rows;
  }

  Json x(const char* field) const {
    return {{"field", field},
            {"type", "quantitative"},
            {"scale", {{"domain", {0, time(curve_.end_ns)}}, {"nice", false}}},
            {"axis", {{"title", title_of_time(time_)}, {"grid", false}}}};
  }
  Json y(const char* field) const {
    return {{"field", field},
            {"type", "quantitative"},
            {"scale", {{"domain", {0, bytes({most_}) * kHeadroom}}, {"nice", false}}},
            {"axis", {{"title", fmt::format("Memory ({})", bytes_.unit_name)}}}};
  }

  Json spans() const {
    Json values = Json::array();
    for (const PhaseSpan& span : curve_.phases) {
      if (span.phase == "step") continue;
      values.push_back({{"phase", span.phase},
                        {"from", time(span.begin_ns)},
                        {"to", time(span.end_ns)},
                        {"middle", time((span.begin_ns + span.end_ns) / 2)},
                        {"share", static_cast<double>(span.end_ns - span.begin_ns) /
                                      static_cast<double>(curve_.end_ns)}});
    }
    return {{"values", std::move(values)}};
  }

  Json phases() const {
    Json encoding = {{"x", x("from")}, {"x2", {{"field", "to"}}}};
    encoding["tooltip"] = {{"field", "phase"}, {"type", "nominal"}};
    return {
        {"data", spans()},
        {"mark", {{"type", "rect"}, {"fill", "#888"}, {"fillOpacity", 0.06}, {"stroke", "#bbb"}}},
        {"encoding", encoding}};
  }

  // About 7 pixels per letter. The name of a phase that is too short for it shows in its tooltip.
  Json names_of_phases() const {
    Json encoding = {{"x", x("middle")}, {"y", {{"value", -6}}}};
    encoding["text"] = {{"field", "phase"}, {"type", "nominal"}};
    const std::string fits = fmt::format("datum.share * {} > 7 * length(datum.phase)", kWidth);
    return {{"data", spans()},
            {"transform", Json::array({{{"filter", fits}}})},
            {"mark", {{"type", "text"}, {"color", "#555"}}},
            {"encoding", encoding}};
  }

  Json bands() const {
    Json kinds = Json::array(), colours = Json::array();
    for (const MemoryBand& band : picture_.bands) {
      kinds.push_back(kind_in_words(band.kind));
      colours.push_back(colour_of_kind(band.kind));
    }
    Json encoding = {{"x", x("time")}, {"y", y("bytes")}};
    encoding["y"]["stack"] = "zero";
    encoding["color"] = {{"field", "kind"},
                         {"type", "nominal"},
                         {"scale", {{"domain", kinds}, {"range", colours}}},
                         {"legend", {{"title", nullptr}, {"orient", "bottom"}}}};
    encoding["order"] = {{"field", "place"}, {"type", "quantitative"}};
    encoding["tooltip"] = {{"field", "kind"}, {"type", "nominal"}};
    Json transform = Json::array({{{"fold", kinds}, {"as", {"kind", "bytes"}}}});
    transform.push_back(
        {{"calculate", fmt::format("indexof({}, datum.kind)", kinds.dump())}, {"as", "place"}});
    return {{"transform", transform},
            {"mark", {{"type", "area"}, {"interpolate", "step-after"}, {"opacity", 0.85}}},
            {"encoding", encoding}};
  }

  Json reserved() const {
    return {{"mark",
             {{"type", "line"},
              {"interpolate", "step-after"},
              {"strokeDash", {5, 3}},
              {"strokeWidth", 1.2},
              {"color", "#555"}}},
            {"encoding", {{"x", x("time")}, {"y", y("reserved")}}}};
  }

  // The label stands above the drawing, and a rule leads down to the peak.
  void peak(Json& layers) const {
    const MemoryPoint& peak = *curve_.peak;
    const double at = time(peak.time.ns);
    const bool on_the_left = at > time(curve_.end_ns) / 2;
    Json row = {{"time", at}, {"bytes", bytes(peak.allocated)}};
    row["top"] = bytes({most_}) * kHeadroom;
    row["label"] = fmt::format("peak {} in {}, at {}", to_human(peak.allocated), peak.phase,
                               moment_on(time_, peak.time.ns));
    const Json data = {{"values", Json::array({row})}};
    Json encoding = {{"x", x("time")}, {"y", y("bytes")}};
    layers.push_back({{"data", data},
                      {"mark", {{"type", "point"}, {"filled", true}, {"color", "#c53030"}}},
                      {"encoding", encoding}});
    encoding["y2"] = {{"field", "top"}};
    layers.push_back({{"data", data},
                      {"mark", {{"type", "rule"}, {"color", "#c53030"}, {"strokeWidth", 0.8}}},
                      {"encoding", encoding}});
    layers.push_back({{"data", data},
                      {"mark",
                       {{"type", "text"},
                        {"color", "#c53030"},
                        {"fontWeight", "bold"},
                        {"align", on_the_left ? "right" : "left"},
                        {"dx", on_the_left ? -5 : 5},
                        {"baseline", "top"}}},
                      {"encoding",
                       {{"x", x("time")},
                        {"y", {{"value", 4}}},
                        {"text", {{"field", "label"}, {"type", "nominal"}}}}}});
  }

  const MemoryPicture& picture_;
  const MemoryCurve& curve_;
  PlotAxis time_, bytes_;
  std::int64_t most_ = 0;
  bool reserves_ = false;
};

}  // namespace

std::string memory_to_vega_lite(const MemoryPicture& picture) {
  const MemoryCurve curve = curve_of(picture.timeline);
  if (curve.peak == nullptr || curve.end_ns == 0) return "";
  return report::dump_vega(MemoryDrawing(picture, curve).draw());
}

}  // namespace sweepd
