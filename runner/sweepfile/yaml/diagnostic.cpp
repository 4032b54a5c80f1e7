#include "runner/sweepfile/yaml/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/printable.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

// Returns blanks as wide as `text`. Tabs stay tabs, so that the caret lines up at any tab width.
std::string blanks(std::string_view text) {
  std::string out;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t tab = std::min(text.find('\t', begin), text.size());
    out.append(display_width(text.substr(begin, tab - begin)), ' ');
    if (tab < text.size()) out += '\t';
    begin = tab + 1;
  }
  return out;
}

std::string underline(const Diagnostic& d, std::string_view source) {
  const auto begin =
      std::min(source.size(), static_cast<std::size_t>(std::max(0, d.column - d.source_column)));
  const std::string_view marked =
      source.substr(begin, static_cast<std::size_t>(std::max(1, d.length)));
  const std::size_t width = std::max<std::size_t>(1, display_width(marked));
  return blanks(source.substr(0, begin)) + "^" + std::string(width - 1, '~');
}

}  // namespace

std::string render(const Diagnostic& d) {
  const std::string number = d.line > 0 ? std::to_string(d.line) : "";
  const std::string gutter(number.size() + 3, ' ');
  std::string out = d.line > 0
                        ? fmt::format("{}:{}:{}: error: {}\n", d.file, d.line, d.column, d.message)
                        : fmt::format("{}: error: {}\n", d.file, d.message);
  if (!d.source.empty()) {
    const std::string source = printable_lines(d.source);
    // A cut line begins with an ellipsis, and the line below it with a blank of the same width.
    const std::string_view front = d.source_column > 1 ? "…" : "";
    const std::string_view blank = d.source_column > 1 ? " " : "";
    out += fmt::format("  {} | {}{}\n", number, front, source);
    out += fmt::format("{}| {}{}\n", gutter, blank, underline(d, source));
  }
  if (!d.help.empty()) out += fmt::format("{}= help: {}\n", gutter, d.help);
  return out;
}

std::string render(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!out.empty()) out += '\n';
    out += render(diagnostic);
  }
  return out;
}

}  // namespace sweepd
