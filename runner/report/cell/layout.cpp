#include "runner/report/cell/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "runner/base/text.h"
#include "runner/report/cell/cell.h"

namespace sweepd::report {
namespace {

// How many marks follow a figure.
std::size_t marks_in(std::string_view text) {
  return display_width(text.substr(begin_of_marks(text)));
}

// True if the name already contains the unit, as "Tokens/s" and "fp32 TFLOP/s" do.
bool ends_with_unit(std::string_view name, std::string_view unit) {
  if (name.size() < unit.size()) return false;
  const std::string_view end = name.substr(name.size() - unit.size());
  const bool same = std::equal(
      end.begin(), end.end(), unit.begin(), unit.end(),
      [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
  return same && (name.size() == unit.size() || name[name.size() - unit.size() - 1] == ' ');
}

}  // namespace

std::size_t begin_of_marks(std::string_view text) {
  for (const std::string_view mark :
       {kUnjudgedMark, kUnsteadyMark, mark_of(Verdict::kSuspect), mark_of(Verdict::kInvalid)}) {
    if (text.ends_with(mark)) text.remove_suffix(mark.size());
  }
  return text.size();
}

std::string header_text(const Column& column) {
  const bool bare = column.unit.empty() || column.unit == "1";
  if (bare || ends_with_unit(column.name, column.unit)) return column.name;
  return column.name + " (" + column.unit + ")";
}

Lines lines_of(const Table& table, std::string (*escape)(std::string_view), std::string_view bold) {
  Lines lines(1);
  for (const Column& column : table.columns) lines[0].push_back(escape(header_text(column)));
  for (const auto& row : table.rows) {
    std::vector<std::string>& line = lines.emplace_back();
    for (const Cell& cell : row) line.push_back(escape(cell.text));
    line.resize(table.columns.size());
  }
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const bool right = table.columns[c].align == Align::kRight;
    std::size_t marks = 0;
    bool bolds = false;
    for (const auto& row : table.rows) {
      if (!right) break;
      marks = std::max(marks, marks_in(row[c].text));
      bolds |= row[c].bold;
    }
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const Cell& cell = table.rows[r][c];
      std::string& text = lines[r + 1][c];
      if (text.empty()) continue;
      if (cell.bold) text = fmt::format("{0}{1}{0}", bold, text);
      if (bolds && !cell.bold) text.append(bold.size(), ' ');
      const std::size_t own = marks_in(cell.text);
      if (own < marks) text.append(marks - own, ' ');
    }
  }
  return lines;
}

std::vector<std::size_t> widths_of(const Lines& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < widths.size(); ++c) {
      widths[c] = std::max(widths[c], display_width(line[c]));
    }
  }
  return widths;
}

std::string pad(const std::string& text, std::size_t width, Align align) {
  const std::size_t used = display_width(text);
  if (used >= width) return text;
  const std::string space(width - used, ' ');
  return align == Align::kRight ? space + text : text + space;
}

namespace {

// Returns how many bytes of `text` fit into `width` columns; at least one letter.
std::size_t bytes_that_fit(std::string_view text, std::size_t width) {
  std::size_t fit = 0;
  for (std::size_t end = 0; end < text.size();) {
    ++end;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) ++end;
    if (fit > 0 && display_width(text.substr(0, end)) > width) break;
    fit = end;
  }
  return fit;
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (display_width(text) > width) {
    const std::size_t fit = bytes_that_fit(text, width);
    // The space after a full line is also a place to break.
    const std::size_t space = text.find_last_of(' ', fit);
    const bool at_space = space != std::string_view::npos && space > 0;
    lines.emplace_back(trim(text.substr(0, at_space ? space : fit)));
    text.remove_prefix(at_space ? space + 1 : fit);
  }
  if (lines.empty() || !text.empty()) lines.emplace_back(text);
  return lines;
}

}  // namespace sweepd::report
