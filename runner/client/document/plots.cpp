#include "runner/client/document/plots.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/client/render/plot_output.h"
#include "runner/report/plot/memory_plot.h"
#include "runner/report/plot/plot.h"

namespace sweepd {
namespace {

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

DocumentBlock DocumentPlots::add(const std::string& sweep, const Plot& plot) {
  pictures_.push_back({name_for(sweep, plot.title), to_svg(plot), warnings_of(plot)});
  const DocumentPicture& picture = pictures_.back();
  std::string markdown = fmt::format("![{}]({})\n", alternative(plot.title), picture.file);
  for (const std::string& note : picture.notes) markdown += "\n- " + note;
  return {std::move(markdown), std::nullopt, picture.file};
}

std::string DocumentPlots::add_timeline(const std::string& title, const MemoryPicture& picture) {
  pictures_.push_back({name_for("memory", title), memory_to_svg(picture), {}});
  return fmt::format("![{}]({})", alternative(title), pictures_.back().file);
}

}  // namespace sweepd
