#include <algorithm>

#include "runner/base/printable.h"
#include "runner/report/cell/layout.h"
#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

constexpr std::size_t kMaxPadding = 60;  // wider cells are prose; padding does not help

// A cell must stay one cell: a pipe ends it, a line end ends the row, and a backslash would cancel
// the pipe's own escape. `<` would start HTML, `*` emphasis.
std::string escape(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '|' || c == '\\' || c == '<' || c == '*') out += '\\';
    out += c;
  }
  return out;
}

// Inside a table a lone backtick may swallow the pipes up to the next one, and a renderer treats
// spaces at a cell's ends as padding.
std::string escape_cell(std::string_view text) {
  const std::size_t front = std::min(text.find_first_not_of(' '), text.size());
  const std::size_t end = std::max(front, text.find_last_not_of(' ') + 1);  // npos + 1 is 0
  std::string out;
  for (std::size_t i = 0; i < front; ++i) out += "&nbsp;";
  for (const char c : escape(text.substr(front, end - front))) {
    if (c == '`') out += '\\';
    out += c;
  }
  for (std::size_t i = end; i < text.size(); ++i) out += "&nbsp;";
  return out;
}

std::string rule(std::size_t width, Align align) {
  return align == Align::kRight ? std::string(width - 1, '-') + ":" : std::string(width, '-');
}

void append_line(std::string& out, const std::vector<std::string>& cells) {
  out += '|';
  for (const std::string& cell : cells) out += " " + cell + " |";
  out += '\n';
}

}  // namespace

std::string to_markdown(const Table& table) {
  std::string out;
  // One paragraph, so that a document of many tables has fewer empty lines.
  if (!table.title.empty()) out += "**" + escape(table.title) + "**\n";
  if (!table.caption.empty()) out += escape(table.caption) + "\n";
  if (!out.empty()) out += '\n';
  if (table.rows.empty() || table.columns.empty()) {
    out += "No rows.\n";
  } else {
    report::Lines lines = report::lines_of(table, escape_cell, "**");
    std::vector<std::size_t> widths = report::widths_of(lines);
    for (std::size_t& width : widths) width = std::clamp<std::size_t>(width, 3, kMaxPadding);
    std::vector<std::string> rules;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      rules.push_back(rule(widths[c], table.columns[c].align));
      for (auto& line : lines) line[c] = report::pad(line[c], widths[c], table.columns[c].align);
    }
    append_line(out, lines.front());
    append_line(out, rules);
    for (std::size_t i = 1; i < lines.size(); ++i) append_line(out, lines[i]);
  }
  if (!table.notes.empty()) out += '\n';
  for (const std::string& note : table.notes) out += "- " + escape(note) + "\n";
  return out;
}

std::string notes_in_markdown(const Table& table) {
  std::string out;
  if (!table.title.empty()) out += "**" + escape(table.title) + "**\n\n";
  for (const std::string& note : table.notes) out += "- " + escape(note) + "\n";
  return out;
}

}  // namespace sweepd
