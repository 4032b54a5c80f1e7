#include "runner/report/plot/svg_paper.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "runner/base/text.h"
#include "runner/report/cell/layout.h"
#include "runner/report/plot/plot.h"
#include "runner/report/render/markup.h"

namespace sweepd {
namespace report {
namespace {

constexpr int kSvgMargin = 6;  // around a picture

}  // namespace
}  // namespace report

std::string svg_file(const std::string& svg) {
  std::string file = svg;
  const std::size_t end = file.find('>');
  file.insert(end + 1, fmt::format("<style>{}</style><rect x=\"-{}\" y=\"-{}\" width=\"100%\" "
                                   "height=\"100%\" fill=\"#fff\"/>",
                                   kSvgStyle, report::kSvgMargin, report::kSvgMargin));
  file.insert(std::string_view("<svg").size(), " xmlns=\"http://www.w3.org/2000/svg\"");
  return file + "\n";
}

}  // namespace sweepd

namespace sweepd::report {
namespace {

constexpr double kGrows = 1.25;    // how much larger than drawn a wide window may show it
constexpr double kShrinks = 0.75;  // and how much smaller a narrow one, before it scrolls
constexpr double kLetter = 0.56;   // of its height

// A terminal shows a broken text as it may; XML must be UTF-8.
std::string valid(std::string_view text) {
  using nlohmann::json;
  const json escaped = std::string(text);
  return json::parse(escaped.dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace

std::string pixels(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

double text_width(std::string_view text, double size) {
  return kLetter * size * static_cast<double>(display_width(text));
}

std::string shortened(const std::string& text, double size, double most) {
  if (text_width(text, size) <= most) return text;
  const auto letters = static_cast<std::size_t>(most / (kLetter * size));
  // Not at spaces: a name of several words would become its first.
  std::string cut;
  for (std::size_t end = 0; end < text.size();) {
    std::size_t next = end + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xc0U) == 0x80U) ++next;
    if (display_width(std::string_view(text).substr(0, next)) + 1 > letters) break;
    cut = text.substr(0, next);
    end = next;
  }
  return cut + "…";
}

std::string series_color(std::size_t index) {
  // As of Vega and Tableau: distinct on white and on black.
  constexpr std::array kColors{"#4f8bc9", "#f58518", "#e45756", "#72b7b2", "#54a24b",
                               "#eeca3b", "#b279a2", "#ff9da6", "#9d755d", "#bab0ac"};
  return kColors[index % kColors.size()];
}

void SvgPaper::element(std::string_view name, const std::string& attributes,
                       const std::string& tip) {
  body_ += fmt::format("<{} {}", name, attributes);
  body_ +=
      tip.empty() ? "/>" : fmt::format("><title>{}</title></{}>", escape_lines(valid(tip)), name);
  body_ += '\n';
}

void SvgPaper::text(double x, double y, std::string_view text, const SvgTextStyle& style) {
  body_ += fmt::format("<text x=\"{}\" y=\"{}\"", pixels(x), pixels(y));
  if (std::string_view(style.anchor) != "start") {
    body_ += fmt::format(" text-anchor=\"{}\"", style.anchor);
  }
  if (*style.kind != 0) body_ += fmt::format(" class=\"{}\"", style.kind);
  if (!style.fill.empty()) body_ += fmt::format(" style=\"fill:{}\"", style.fill);
  if (style.angle != 0) {
    body_ +=
        fmt::format(" transform=\"rotate({} {} {})\"", pixels(style.angle), pixels(x), pixels(y));
  }
  body_ += ">" + escape_markup(valid(text)) + "</text>\n";
}

void SvgPaper::line(double x1, double y1, double x2, double y2, const std::string& style) {
  element("line",
          fmt::format("x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}", pixels(x1), pixels(y1),
                      pixels(x2), pixels(y2), style),
          "");
}

void SvgPaper::rect(double x, double y, double width, double height, const std::string& style,
                    const std::string& tip) {
  element("rect",
          fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}", pixels(x), pixels(y),
                      pixels(width), pixels(height), style),
          tip);
}

void SvgPaper::path(const std::string& data, const std::string& style, const std::string& tip) {
  element("path", fmt::format("d=\"{}\" {}", data, style), tip);
}

void SvgPaper::dot(double x, double y, const std::string& color, const std::string& tip) {
  body_ += fmt::format(
      "<g class=\"mark\"><circle cx=\"{0}\" cy=\"{1}\" r=\"3.5\" fill=\"{2}\"/><circle cx=\"{0}\" "
      "cy=\"{1}\" r=\"9\" fill-opacity=\"0\"/><title>{3}</title></g>\n",
      pixels(x), pixels(y), color, escape_lines(valid(tip)));
}

std::string SvgPaper::finish(double width, double height, const std::string& label) const {
  return fmt::format(
      "<svg class=\"plot\" role=\"img\" aria-label=\"{}\" viewBox=\"-{} -{} {} {}\" width=\"{}\" "
      "height=\"{}\" style=\"max-width:{}px;min-width:{}px\">\n{}</svg>",
      escape_markup(valid(label)), kSvgMargin, kSvgMargin, pixels(width + 2 * kSvgMargin),
      pixels(height + 2 * kSvgMargin), pixels(width + 2 * kSvgMargin),
      pixels(height + 2 * kSvgMargin), pixels(kGrows * width), pixels(kShrinks * width), body_);
}

}  // namespace sweepd::report
