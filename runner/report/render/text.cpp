#include <algorithm>
#include <numeric>
#include <optional>

#include "runner/base/printable.h"
#include "runner/base/text.h"
#include "runner/report/cell/layout.h"
#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

constexpr std::size_t kGap = 2;       // spaces between columns
constexpr std::size_t kMinText = 16;  // a longer word may be broken to save width

std::size_t total_width(const std::vector<std::size_t>& widths,
                        const std::vector<std::size_t>& columns) {
  std::size_t total = columns.empty() ? 0 : kGap * (columns.size() - 1);
  for (const std::size_t c : columns) total += widths[c];
  return total;
}

constexpr std::size_t kMeasured = 500;  // only these rows decide the column widths

// The length of the longest word in each column, and of each cell.
struct Extents {
  std::vector<std::size_t> words;
  std::vector<std::vector<std::size_t>> cells;  // by line, then column
};

Extents extents_of(const report::Lines& lines) {
  Extents extents;
  extents.words.resize(lines.front().size());
  for (const auto& line : lines) {
    if (extents.cells.size() == kMeasured) break;
    auto& cells = extents.cells.emplace_back();
    for (std::size_t c = 0; c < line.size(); ++c) {
      cells.push_back(display_width(line[c]));
      for (const std::string& word : split(line[c], ' ')) {
        extents.words[c] = std::max(extents.words[c], display_width(word));
      }
    }
  }
  return extents;
}

// Returns the number of screen lines, where every row is as tall as its tallest cell.
std::size_t height_of(const Extents& extents, const std::vector<std::size_t>& columns,
                      const std::vector<std::size_t>& widths) {
  std::size_t height = 0;
  for (const auto& cells : extents.cells) {
    std::size_t tallest = 1;
    for (const std::size_t c : columns) {
      if (widths[c] > 0) tallest = std::max(tallest, (cells[c] + widths[c] - 1) / widths[c]);
    }
    height += tallest;
  }
  return height;
}

// Narrows text columns until `columns` fit into `width`, as far as possible: one letter at a time
// from the column where it costs the fewest lines, and the widest of equal ones. A column of names
// thus stays whole while a column of prose grows taller. No word is broken that a narrow column can
// contain.
void shrink_text(const Table& table, const Extents& extents,
                 const std::vector<std::size_t>& columns, std::size_t width,
                 std::vector<std::size_t>& widths) {
  while (total_width(widths, columns) > width) {
    std::optional<std::size_t> best;
    std::size_t lowest = 0;
    for (const std::size_t c : columns) {
      const std::size_t least = std::min(kMinText, extents.words[c]);
      if (table.columns[c].align == Align::kRight || widths[c] <= least) continue;
      --widths[c];
      const std::size_t height = height_of(extents, columns, widths);
      ++widths[c];
      const bool better =
          !best || height < lowest || (height == lowest && widths[c] > widths[*best]);
      if (!better) continue;
      best = c;
      lowest = height;
    }
    if (!best) return;
    --widths[*best];
  }
}

// Returns the number of columns that identify a row: those before the first one with a unit, or one
// if no column has a unit.
std::size_t count_row_headers(const Table& table) {
  const auto first = std::find_if(table.columns.begin(), table.columns.end(),
                                  [](const Column& column) { return !column.unit.empty(); });
  if (first == table.columns.end()) return std::min<std::size_t>(1, table.columns.size());
  return static_cast<std::size_t>(first - table.columns.begin());
}

using CellGroup = std::vector<std::size_t>;

// Puts as many columns as fit beside the row headers, at least one per group, until all are shown.
std::vector<CellGroup> groups_of(const Table& table, const std::vector<std::size_t>& widths,
                                 std::size_t width) {
  CellGroup headers(count_row_headers(table));
  std::iota(headers.begin(), headers.end(), 0);
  std::vector<CellGroup> groups;
  for (std::size_t c = headers.size(); c < table.columns.size(); ++c) {
    if (!groups.empty()) {
      CellGroup wider = groups.back();
      wider.push_back(c);
      if (total_width(widths, wider) <= width) {
        groups.back() = std::move(wider);
        continue;
      }
    }
    groups.push_back(headers);
    groups.back().push_back(c);
  }
  if (groups.empty()) groups.push_back(headers);
  return groups;
}

void append_trimmed_line(std::string& out, const std::vector<std::string>& parts) {
  const std::string line = join(parts, std::string(kGap, ' '));
  const std::size_t last = line.find_last_not_of(' ');
  out += line.substr(0, last == std::string::npos ? 0 : last + 1) + "\n";
}

// A row takes as many lines as its tallest cell, because a message must not be cut.
void append_row(std::string& out, const Table& table, const std::vector<std::string>& row,
                const std::vector<std::size_t>& widths, const CellGroup& group) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (const std::size_t c : group) {
    const bool text = table.columns[c].align == Align::kLeft;
    cells.push_back(text ? report::wrap(row[c], widths[c]) : std::vector{row[c]});
    height = std::max(height, cells.back().size());
  }
  for (std::size_t line = 0; line < height; ++line) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::string text = line < cells[i].size() ? cells[i][line] : "";
      parts.push_back(report::pad(text, widths[group[i]], table.columns[group[i]].align));
    }
    append_trimmed_line(out, parts);
  }
}

void append_group(std::string& out, const Table& table, const report::Lines& lines,
                  const std::vector<std::size_t>& widths, const CellGroup& group) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    append_row(out, table, lines[i], widths, group);
    if (i > 0) continue;
    std::vector<std::string> rules(group.size());
    for (std::size_t r = 0; r < group.size(); ++r) {
      for (std::size_t k = 0; k < widths[group[r]]; ++k) rules[r] += "─";
    }
    append_trimmed_line(out, rules);
  }
}

}  // namespace

std::string to_text(const Table& table, std::size_t width) {
  std::string out;
  if (!table.title.empty()) out += printable(table.title) + "\n";
  if (!table.caption.empty()) out += printable(table.caption) + "\n";
  if (!out.empty()) out += "\n";
  if (table.rows.empty() || table.columns.empty()) {
    out += "No rows.\n";
  } else {
    const report::Lines lines = report::lines_of(table, printable, "*");
    std::vector<std::size_t> widths = report::widths_of(lines);
    CellGroup all(table.columns.size());
    std::iota(all.begin(), all.end(), 0);
    std::vector<CellGroup> groups{all};
    if (width > 0 && total_width(widths, all) > width) {
      const Extents extents = extents_of(lines);
      std::vector<std::size_t> shrunk = widths;
      shrink_text(table, extents, all, width, shrunk);
      const bool fits = total_width(shrunk, all) <= width;
      if (fits) widths = std::move(shrunk);
      if (!fits) groups = groups_of(table, widths, width);
      for (const CellGroup& group : groups) shrink_text(table, extents, group, width, widths);
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (g > 0) out += '\n';
      append_group(out, table, lines, widths, groups[g]);
    }
  }
  if (!table.notes.empty()) out += '\n';
  for (const std::string& note : table.notes) out += printable(note) + "\n";
  return out;
}

}  // namespace sweepd
