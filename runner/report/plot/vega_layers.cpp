#include "runner/report/plot/vega_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "runner/base/text.h"

namespace sweepd::report {
namespace {

constexpr std::size_t kLongCategory = 9;  // letters of a name that stands better beside its bar
constexpr double kLaneHeight = 13;
constexpr std::size_t kMostTicks = 12;  // at the points themselves
constexpr std::array kFactors{"speedup", "speedup_median", "ratio", "ratio_median"};

// The place of the values of x: below the drawing, or down its left side.
enum class XAxis { kAcross, kDown };

// The number that a text of xs has; the points have it.
std::vector<double> numbers_of(const PlotPoints& points) {
  std::vector<double> numbers;
  for (const std::string& text : points.xs) {
    const auto point = std::find_if(points.points.begin(), points.points.end(),
                                    [&](const PlotPoint& each) { return each.x == text; });
    numbers.push_back(*point->x_number);
  }
  return numbers;
}

// A position of numbers if all values are, else of names in their order.
Json x_of(const PlotPoints& points, const PlotShape& shape, XAxis direction) {
  Json x = {{"field", "x"}};
  if (!points.numeric_x || shape.has_categories()) {
    x["type"] = "ordinal";
    x["sort"] = points.xs;
    x["axis"] = {{"title", points.x_title},
                 {"labelAngle", direction == XAxis::kDown || widest(points.xs) < 7 ? 0 : -40},
                 {"labelLimit", 260}};
    return x;
  }
  x["type"] = "quantitative";
  Json scale = {{"zero", false}, {"nice", false}};
  Json axis = {{"title", points.x_title}};
  const std::vector<double> numbers = numbers_of(points);
  if (shape.log_x) {
    const bool twos = std::all_of(numbers.begin(), numbers.end(), [](double number) {
      return std::log2(number) == std::round(std::log2(number));
    });
    scale["type"] = "log";
    if (twos) scale["base"] = 2;
  }
  const bool whole = std::all_of(numbers.begin(), numbers.end(),
                                 [](double number) { return number == std::round(number); });
  if (numbers.size() <= kMostTicks) axis["values"] = numbers;
  if (points.bytes_x) {
    axis["title"] = points.x_title + " (B)";
    axis["format"] = "~s";
  } else if (whole) {
    axis["format"] = widest(points.xs) > 6 ? "~s" : "d";
  }
  scale["padding"] = 14;
  x["scale"] = std::move(scale);
  x["axis"] = std::move(axis);
  return x;
}

Json part(const char* name) {
  return Json::array({{{"filter", {{"field", "part"}, {"equal", name}}}}});
}

class Layers {
 public:
  Layers(const PlotShape& shape, const PlotPoints& points, std::size_t lanes, bool faceted)
      : shape_(shape), points_(points), lanes_(lanes), faceted_(faceted) {
    const bool names = shape.mark == PlotMark::kBar && widest(points.xs) > kLongCategory;
    across_ = names;
  }

  Json make() {
    Json layers = Json::array();
    if (shape_.is_heatmap()) {
      heatmap(layers);
    } else {
      if (shape_.spread != PlotSpread::kNone && shape_.band) layers.push_back(spread());
      layers.push_back(figures());
      if (shape_.mark == PlotMark::kLine) layers.push_back(points());
      if (shape_.spread != PlotSpread::kNone && !shape_.band) layers.push_back(spread());
      if (!points_.series.empty()) layers.push_back(beside());
      if (!points_.lines.empty()) lines(layers);
      words(layers);
    }
    Json drawing = size();
    drawing["layer"] = std::move(layers);
    return drawing;
  }

 private:
  // Bars with long names are horizontal: x and y are exchanged.
  const char* x_channel() const { return across_ ? "y" : "x"; }
  const char* y_channel() const { return across_ ? "x" : "y"; }
  const char* offset_channel() const { return across_ ? "yOffset" : "xOffset"; }
  bool grouped() const {
    return shape_.mark == PlotMark::kBar && !shape_.stacked && points_.colors.size() > 1;
  }

  Json size() const {
    const double width = faceted_ ? 250 : 480, height = faceted_ ? 190 : 300;
    if (across_) {
      const std::size_t bars = points_.xs.size() * (grouped() ? points_.colors.size() : 1);
      const double fitting = std::clamp(18.0 * static_cast<double>(bars), 60.0, 900.0);
      return {{"width", width}, {"height", fitting}};
    }
    if (shape_.mark == PlotMark::kBar) {
      const double group = grouped() ? 22.0 * static_cast<double>(points_.colors.size()) + 18 : 48;
      const double fitting = group * static_cast<double>(points_.xs.size());
      return {{"width", std::clamp(fitting, 120.0, 720.0)}, {"height", height}};
    }
    if (!shape_.is_heatmap()) return {{"width", width}, {"height", height}};
    const auto cells = [](const std::vector<std::string>& texts, double each, double most) {
      return std::clamp(each * static_cast<double>(texts.size()), 120.0, most);
    };
    return {{"width", cells(points_.xs, 68, 720)}, {"height", cells(points_.ys, 34, 600)}};
  }

  Json x() const { return x_of(points_, shape_, across_ ? XAxis::kDown : XAxis::kAcross); }

  Json y(const char* field = "y") const {
    Json y = {{"field", field}, {"type", "quantitative"}};
    if (shape_.log_y) y["scale"] = {{"type", "log"}, {"nice", false}, {"padding", 12}};
    y["axis"] = {{"title", points_.figure_title}, {"format", "~r"}};
    if (shape_.mark == PlotMark::kBar && !shape_.stacked) y["stack"] = nullptr;
    return y;
  }

  void add_color(Json& encoding) const {
    if (shape_.color.empty()) return;
    encoding["color"] = {{"field", "color"},
                         {"type", "nominal"},
                         {"scale", {{"domain", points_.colors}}},
                         {"legend", {{"title", points_.color_title}}}};
  }

  // The figures' own line is solid, those beside it are dashed; the legend names them.
  void add_dash(Json& encoding) const {
    if (points_.series.empty()) return;
    std::vector<std::string> domain{points_.figure_title};
    Json range = Json::array({Json::array({1, 0})});
    Json dash = Json::array({5, 3});
    for (const std::string& series : points_.series) {
      domain.push_back(series);
      range.push_back(dash);
      dash = Json::array({2, 3});
    }
    encoding["strokeDash"] = {
        {"field", "series"},
        {"type", "nominal"},
        {"scale", {{"domain", domain}, {"range", range}}},
        {"legend", {{"title", nullptr}, {"symbolType", "stroke"}, {"symbolStrokeColor", "#555"}}}};
  }

  Json tooltip() const {
    Json list = Json::array();
    const auto add = [&](const char* field, const std::string& title, const char* type) {
      list.push_back({{"field", field}, {"type", type}, {"title", title}});
    };
    if (!shape_.facet.empty()) add("facet", points_.facet_title, "nominal");
    if (!shape_.color.empty()) add("color", points_.color_title, "nominal");
    if (shape_.is_heatmap()) add("row", points_.y_title, "nominal");
    add("x", points_.x_title, "nominal");
    add("y", points_.figure_title, "quantitative");
    if (shape_.spread != PlotSpread::kNone) {
      add("low", "from", "quantitative");
      add("high", "to", "quantitative");
    }
    for (const std::string& word : plot_words()) add(word.c_str(), word, "nominal");
    return list;
  }

  Json encoding(Json y_axis) const {
    Json encoding = {{x_channel(), x()}, {y_channel(), std::move(y_axis)}};
    add_color(encoding);
    if (grouped()) encoding[offset_channel()] = {{"field", "color"}, {"sort", points_.colors}};
    return encoding;
  }

  Json figures() const {
    Json mark = {{"type", name_of(shape_.mark)}};
    if (shape_.mark == PlotMark::kPoint) mark["filled"] = true;
    if (shape_.mark == PlotMark::kArea) mark["line"] = true, mark["opacity"] = 0.7;
    Json encoded = encoding(y());
    if (shape_.mark == PlotMark::kLine) add_dash(encoded);
    encoded["tooltip"] = tooltip();
    return {{"transform", part("figure")}, {"mark", mark}, {"encoding", encoded}};
  }

  // A separate layer: points of the line's mark would hide the strokes in the legend of dashes.
  Json points() const {
    Json encoded = encoding(y());
    encoded["tooltip"] = tooltip();
    const Json mark = {{"type", "point"}, {"filled", true}, {"opacity", 1}};
    return {{"transform", part("figure")}, {"mark", mark}, {"encoding", encoded}};
  }

  Json spread() const {
    Json encoded = encoding(y("low"));
    encoded[across_ ? "x2" : "y2"] = {{"field", "high"}};
    Json transform = part("figure");
    transform.push_back({{"filter", {{"field", "low"}, {"valid", true}}}});
    Json mark = shape_.band ? Json{{"type", "area"}, {"opacity", 0.2}} : Json{{"type", "rule"}};
    if (shape_.mark == PlotMark::kBar) {
      encoded.erase("color");  // a bar of the same colour would hide half of it
      mark["color"] = "#333";
    }
    return {{"transform", transform}, {"mark", mark}, {"encoding", encoded}};
  }

  Json beside() const {
    const bool bars = shape_.mark == PlotMark::kBar;
    Json encoded = encoding(y());
    add_dash(encoded);
    if (bars) {
      encoded.erase("color");
      encoded.erase("strokeDash");
      encoded["stroke"] = {{"field", "series"},
                           {"type", "nominal"},
                           {"scale", {{"domain", points_.series}, {"scheme", "dark2"}}},
                           {"legend", {{"title", nullptr}}}};
    }
    Json tip = tooltip();
    const Json name = {{"field", "series"}, {"type", "nominal"}, {"title", "line"}};
    tip.insert(tip.begin(), name);
    encoded["tooltip"] = std::move(tip);
    Json mark = bars ? Json{{"type", "tick"}, {"thickness", 2}} : Json{{"type", "line"}};
    return {{"transform", part("beside")}, {"mark", mark}, {"encoding", encoded}};
  }

  void lines(Json& layers) const {
    Json encoded = {{"x", {{"field", "x"}, {"type", "quantitative"}}}};
    add_color(encoded);
    encoded["tooltip"] = Json::array({{{"field", "series"}, {"type", "nominal"}, {"title", "line"}},
                                      {{"field", "x"}, {"type", "quantitative"}}});
    layers.push_back({{"transform", part("line")},
                      {"mark", {{"type", "rule"}, {"strokeDash", {4, 3}}, {"strokeWidth", 1.5}}},
                      {"encoding", encoded}});
    encoded["text"] = {{"field", "series"}};
    encoded["y"] = {{"value", 4}};
    layers.push_back(
        {{"transform", part("line")},
         {"mark", {{"type", "text"}, {"align", "left"}, {"dx", 4}, {"baseline", "top"}}},
         {"encoding", encoded}});
  }

  // Words in place of missing figures: where the bar would begin, beyond a stack, or above a curve.
  void words(Json& layers) const {
    const bool bars = shape_.mark == PlotMark::kBar;
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      if (bars && lane > 0 && grouped()) break;  // each bar has a separate place
      Json transform = part("word");
      if (!(bars && grouped())) {
        transform.push_back({{"filter", {{"field", "lane"}, {"equal", lane}}}});
      }
      Json encoded = {{x_channel(), x()}, {"text", {{"field", "word"}}}};
      Json mark = {{"type", "text"}, {"fontWeight", "bold"}, {"fontSize", 10}};
      add_color(encoded);
      if (grouped()) encoded[offset_channel()] = {{"field", "color"}, {"sort", points_.colors}};
      if (across_ && shape_.stacked) {
        encoded["x"] = {{"value", "width"}};
        mark.update({{"align", "right"}, {"dx", -4}});
      } else if (across_) {
        encoded["x"] = {{"value", 4}};
        mark["align"] = "left";
      } else if (bars && !shape_.stacked) {
        encoded["y"] = {{"value", "height"}};
        mark.update({{"angle", 270}, {"align", "left"}, {"baseline", "middle"}, {"dx", 4}});
      } else {
        encoded["y"] = {{"value", 8 + kLaneHeight * static_cast<double>(lane)}};
      }
      encoded["tooltip"] = tooltip();
      layers.push_back({{"transform", transform}, {"mark", mark}, {"encoding", encoded}});
    }
  }

  void heatmap(Json& layers) const {
    const bool factor =
        std::find(kFactors.begin(), kFactors.end(), shape_.figure) != kFactors.end();
    Json scale = factor ? Json{{"scheme", "redblue"}, {"domainMid", 1}} : Json{{"scheme", "blues"}};
    Json place = {{"x", x()},
                  {"y",
                   {{"field", "row"},
                    {"type", "ordinal"},
                    {"sort", points_.ys},
                    {"axis", {{"title", points_.y_title}}}}}};
    Json rects = place;
    const bool any = std::any_of(points_.points.begin(), points_.points.end(),
                                 [](const PlotPoint& point) { return point.figure.has_value(); });
    // With words alone the scale would be empty.
    const Json legend = any ? Json{{"title", points_.figure_title}} : Json();
    rects["color"] = {
        {"field", "y"}, {"type", "quantitative"}, {"scale", scale}, {"legend", legend}};
    rects["tooltip"] = tooltip();
    layers.push_back({{"transform", part("figure")}, {"mark", "rect"}, {"encoding", rects}});
    Json texts = place;
    texts["text"] = {{"field", "y"}, {"type", "quantitative"}, {"format", ".3~g"}};
    texts["color"] = text_color(factor);
    layers.push_back({{"transform", part("figure")}, {"mark", "text"}, {"encoding", texts}});
    Json missing = place;
    missing["text"] = {{"field", "word"}};
    missing["tooltip"] = tooltip();
    layers.push_back({{"transform", part("word")},
                      {"mark", {{"type", "text"}, {"fontWeight", "bold"}, {"color", "#b33"}}},
                      {"encoding", missing}});
  }

  // White on the dark end of the colours.
  Json text_color(bool factor) const {
    double least = 0, most = 0;
    bool any = false;
    for (const PlotPoint& point : points_.points) {
      if (!point.figure) continue;
      least = any ? std::min(least, *point.figure) : *point.figure;
      most = any ? std::max(most, *point.figure) : *point.figure;
      any = true;
    }
    Json above = {{"test", {{"field", "y"}, {"gt", least + 0.6 * (most - least)}}},
                  {"value", "white"}};
    if (factor) {
      const double reach = std::max(most - 1, 1 - least);
      above["test"] = {
          {"or",
           {{{"field", "y"}, {"gt", 1 + 0.6 * reach}}, {{"field", "y"}, {"lt", 1 - 0.6 * reach}}}}};
    }
    return {{"condition", above}, {"value", "black"}};
  }

  const PlotShape& shape_;
  const PlotPoints& points_;
  std::size_t lanes_;
  bool faceted_, across_ = false;
};

}  // namespace

Json layers_of(const PlotShape& shape, const PlotPoints& points, std::size_t lanes, bool faceted) {
  return Layers(shape, points, lanes, faceted).make();
}

}  // namespace sweepd::report
