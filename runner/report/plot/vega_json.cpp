#include "runner/report/plot/vega_json.h"

#include <algorithm>
#include <vector>

#include "runner/base/printable.h"
#include "runner/report/cell/layout.h"

namespace sweepd::report {
namespace {

// Pixels of an average character.
constexpr double kTitleCharacter = 7.6, kSubtitleCharacter = 6;
constexpr std::size_t kShortestLine = 24;  // characters

// One line as a text, several as a list.
Json lines_of(const std::string& text, double pixels, double character) {
  const auto fit = static_cast<std::size_t>(pixels / character);
  const std::vector<std::string> lines = wrap(text, std::max(kShortestLine, fit));
  return lines.size() == 1 ? Json(text) : Json(lines);
}

// Control characters have no place in an SVG, and vl-convert does not survive them.
void make_printable(Json& json) {
  if (json.is_string()) {
    json = printable(json.get_ref<const std::string&>());
  } else if (json.is_structured()) {
    for (Json& each : json) make_printable(each);
  }
}

}  // namespace

Json vega_config() {
  return {{"font", "Helvetica, Arial, sans-serif"},
          {"view", {{"stroke", "#ddd"}}},
          {"title", {{"subtitleColor", "#666"}, {"offset", 12}}},
          {"axis", {{"gridColor", "#e6e6e6"}, {"titleFontWeight", "normal"}}},
          {"legend", {{"titleFontWeight", "normal"}, {"symbolOpacity", 1}}},
          {"header", {{"titleFontWeight", "normal"}}}};
}

Json vega_title(const std::string& title, const std::string& subtitle, double pixels) {
  Json json = {{"text", lines_of(title, pixels, kTitleCharacter)}};
  if (!subtitle.empty()) json["subtitle"] = lines_of(subtitle, pixels, kSubtitleCharacter);
  json["anchor"] = "start";
  json["frame"] = "group";
  return json;
}

std::string dump_vega(Json specification) {
  make_printable(specification);
  // A terminal shows a broken log line as it may; JSON must be UTF-8.
  return specification.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sweepd::report
