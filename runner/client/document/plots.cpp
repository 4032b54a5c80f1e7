#include "runner/client/document/plots.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/client/picture.h"
#include "runner/client/plot_output.h"
#include "runner/report/memory_plot.h"
#include "runner/report/plot.h"

namespace sweepd {
namespace {

constexpr std::size_t kTextWidth = 78;  // fits a page of paper

// A title as markdown's text of a picture, which ends at a bracket.
std::string alternative(const std::string& title) {
  std::string text;
  for (const char c : title) {
    if (c == '[' || c == ']' || c == '\\') text += '\\';
    text += c == '\n' ? ' ' : c;
  }
  return text;
}

}  // namespace

std::string DocumentPlots::name_for(const std::string& sweep, const std::string& title) const {
  const std::string name = file_name_of(sweep + " " + title);
  const auto file = [&](std::size_t number) {
    return fmt::format("plots/{}{}.svg", name.empty() ? "plot" : name,
                       number == 1 ? "" : fmt::format("-{}", number));
  };
  const auto is_used = [&](const std::string& wanted) {
    return std::any_of(pictures_.begin(), pictures_.end(),
                       [&](const DocumentPicture& each) { return each.file == wanted; });
  };
  std::size_t number = 1;
  while (is_used(file(number))) ++number;
  return file(number);
}

Result<std::string> DocumentPlots::draw(const std::string& sweep, const std::string& title,
                                        std::string spec, const std::string& text) {
  if (why_text_.empty()) {
    auto svg = draw_picture(spec, "svg");
    if (svg) {
      pictures_.push_back({name_for(sweep, title), std::move(*svg), std::move(spec)});
      return fmt::format("![{}]({})", alternative(title), pictures_.back().file);
    }
    if (svg.error().code != ErrorCode::kUnavailable) return svg.error();
    why_text_ = svg.error().message;
  }
  return as_code(text);
}

Result<std::string> DocumentPlots::add(const std::string& sweep, const Plot& plot) {
  auto markdown = draw(sweep, plot.title, to_vega_lite(plot), to_text(plot, kTextWidth));
  if (!markdown) return markdown;
  std::string notes;
  for (const std::string& warning : warnings_of(plot)) notes += "\n- " + warning;
  return notes.empty() ? *markdown : *markdown + "\n" + notes;
}

Result<std::string> DocumentPlots::add_timeline(const std::string& title,
                                                const MemoryPicture& picture) {
  return draw("memory", title, memory_to_vega_lite(picture), memory_to_text(picture, kTextWidth));
}

}  // namespace sweepd
