#include "runner/client/document/story_html.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/base/ids.h"
#include "runner/base/text.h"
#include "runner/report/markup.h"
#include "runner/report/report.h"

namespace sweepd {
namespace {

using report::escape_markup;

std::string numbers(const std::vector<double>& values) {
  return fmt::format("[{:.6g}]", fmt::join(values, ","));
}

}  // namespace

std::string to_html(const DocumentStory& story) {
  std::string out = fmt::format("<template id=\"story-{}\" data-also=\"{}\">\n",
                                escape_markup(story.attempt), escape_markup(join(story.also, " ")));
  out +=
      fmt::format("<h3>Attempt {}: {}</h3>\n", escape_markup(std::string(short_id(story.attempt))),
                  escape_markup(story.title));
  if (!story.label.empty()) out += "<p>" + escape_markup(story.label) + "</p>\n";
  if (!story.why.empty())
    out += "<p class=\"why\"><strong>" + escape_markup(story.why) + "</strong></p>\n";
  for (const DocumentStory::Samples& samples : story.samples) {
    out += fmt::format(
        "<figure class=\"dots\" data-name=\"{}\" data-of=\"{}\" data-warmup=\"{}\" "
        "data-measured=\"{}\"></figure>\n",
        escape_markup(samples.name), samples.of, numbers(samples.warmup),
        numbers(samples.measured));
  }
  for (const std::string& timeline : story.timelines) {
    out += "<figure class=\"drawn\">" + timeline + "</figure>\n";
  }
  for (const Table& table : story.shown) out += to_html(table);
  for (Table table : story.folded) {
    const std::string title = std::exchange(table.title, "");
    out += "<details><summary>" + escape_markup(title) + "</summary>" + to_html(table) +
           "</details>\n";
  }
  return out + "</template>\n";
}

}  // namespace sweepd
