#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"
#include "runner/report/cell/cell.h"
#include "runner/report/cell/layout.h"
#include "runner/report/cell/report.h"
#include "runner/report/render/markup.h"

namespace sweepd {
namespace {

using report::escape_markup;

// A note names commands and options in backticks.
std::string note_in_html(const std::string& note) {
  std::string out;
  bool code = false;
  const std::vector<std::string> parts = split(note, '`');
  const bool paired = parts.size() % 2 == 1;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += paired ? (code ? "</code>" : "<code>") : "`";
    if (i > 0) code = !code;
    out += escape_markup(parts[i]);
  }
  return out;
}

// The columns that `with` adds behind a figure's, by their endings.
constexpr const char* kDetails[] = {" n", " verdict", " outcome", " attempt"};
constexpr std::size_t kDetailCount = std::size(kDetails);

// Returns for each column of the table where its details begin in the other one, or 0 for a column
// without them. Returns nothing if the tables do not show the same.
std::vector<std::size_t> details_of(const Table& table, const Table* details) {
  if (details == nullptr || details->rows.size() != table.rows.size()) return {};
  std::vector<std::size_t> begins;
  std::size_t at = 0;
  for (const Column& column : table.columns) {
    if (at >= details->columns.size() || details->columns[at].name != column.name) return {};
    ++at;
    bool has_them = at + kDetailCount <= details->columns.size();
    for (std::size_t i = 0; has_them && i < kDetailCount; ++i) {
      has_them = details->columns[at + i].name.ends_with(kDetails[i]);
    }
    begins.push_back(has_them ? at : 0);
    if (has_them) at += kDetailCount;
  }
  return at == details->columns.size() ? begins : std::vector<std::size_t>();
}

// "n 20, valid, done, attempt 3f9c2a7b"
std::string tip(const std::vector<Cell>& row, std::size_t begin) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < kDetailCount; ++i) {
    const std::string& text = row[begin + i].text;
    if (text.empty() || text == "—") continue;
    parts.push_back(i == 0 ? "n " + text : i + 1 == kDetailCount ? "attempt " + text : text);
  }
  return join(parts, ", ");
}

// The notes that explain a cell's marks, or the word in place of its figure: "0 2". They begin with
// the mark or the word.
std::string notes_of(const Cell& cell, Align align, const std::vector<std::string>& notes) {
  std::vector<std::string> found;
  const std::size_t marks = report::begin_of_marks(cell.text);
  const bool is_word = align == Align::kRight && !cell.number && marks == cell.text.size();
  for (std::size_t i = 0; i < notes.size(); ++i) {
    const std::string begin = notes[i].substr(0, notes[i].find_first_of(" :"));
    if (begin.empty()) continue;
    const bool says = is_word ? begin == cell.text.substr(0, cell.text.find(' '))
                              : cell.text.find(begin, marks) != std::string::npos;
    if (says) found.push_back(std::to_string(i));
  }
  return join(found, " ");
}

// `attempts`: those behind the figure, for a page with their details. Its marks stand
// beside the figure, so that digits stay below each other.
void append_cell(std::string& out, const Cell& cell, Align align, const std::string& tip,
                 const std::string& attempts, const std::string& notes) {
  out += "<td";
  if (align == Align::kRight) out += " class=\"right\"";
  if (cell.number) out += fmt::format(" data-v=\"{:.17g}\"", *cell.number);
  if (!attempts.empty()) out += " data-a=\"" + escape_markup(attempts) + "\"";
  if (!notes.empty()) out += " data-m=\"" + notes + "\"";
  if (!tip.empty()) out += " title=\"" + escape_markup(tip) + "\"";
  const std::size_t marks = report::begin_of_marks(cell.text);
  std::string text = escape_markup(cell.text.substr(0, marks));
  if (marks < cell.text.size()) {
    text += "<span class=\"mark\">" + escape_markup(cell.text.substr(marks)) + "</span>";
  }
  out += ">" + (cell.bold ? "<strong>" + text + "</strong>" : text) + "</td>";
}

// The summary of a fold of notes: "‡ suspect, § unsteady, pooled".
std::string subjects_of(const std::vector<std::string>& notes) {
  constexpr std::size_t kLongest = 24;
  std::vector<std::string> subjects;
  for (const std::string& note : notes) {
    const std::size_t space = note.find(' ');
    const bool marked =
        space != std::string::npos && report::begin_of_marks(note.substr(0, space)) == 0;
    const std::size_t end = marked ? note.find_first_of(" :", space + 1) : note.find(':');
    const bool unsteady = marked && note.starts_with(report::kUnsteadyMark);
    const std::string subject =
        unsteady ? fmt::format("{} unsteady", report::kUnsteadyMark) : note.substr(0, end);
    const bool is_short = subject.size() <= kLongest && (marked || end != std::string::npos);
    if (is_short && std::ranges::find(subjects, subject) == subjects.end()) {
      subjects.push_back(subject);
    }
  }
  return join(subjects, ", ");
}

}  // namespace

std::string notes_to_html(const std::vector<std::string>& notes, std::size_t warnings) {
  constexpr std::size_t kLongest = 120;  // letters of a single note that needs no fold
  if (notes.empty()) return "";
  std::string list = "<ul class=\"notes\">\n";
  for (const std::string& note : notes) list += "<li>" + note_in_html(note) + "</li>\n";
  list += "</ul>\n";
  if (notes.size() == 1 && notes.front().size() <= kLongest) return list;
  const std::string subjects =
      subjects_of({notes.end() - static_cast<std::ptrdiff_t>(warnings), notes.end()});
  return fmt::format("<details class=\"notes\"><summary>{} note{}{}{}</summary>\n{}</details>\n",
                     notes.size(), notes.size() == 1 ? "" : "s", subjects.empty() ? "" : ": ",
                     escape_markup(subjects), list);
}

std::string to_html(const Table& table, const Table* details) {
  std::string out = "<figure class=\"table\">\n";
  if (!table.title.empty()) out += "<figcaption>" + escape_markup(table.title) + "</figcaption>\n";
  if (!table.caption.empty()) {
    out += "<p class=\"constants\">" + escape_markup(table.caption) + "</p>\n";
  }
  if (table.rows.empty() || table.columns.empty()) {
    out += "<p>No rows.</p>\n";
  } else {
    const std::vector<std::size_t> begins = details_of(table, details);
    out += "<table class=\"data\">\n<thead><tr>";
    for (const Column& column : table.columns) {
      out += fmt::format("<th{}>{}</th>", column.align == Align::kRight ? " class=\"right\"" : "",
                         escape_markup(report::header_text(column)));
    }
    out += "</tr></thead>\n<tbody>\n";
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      out += "<tr>";
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const bool has_tip = !begins.empty() && begins[c] != 0;
        append_cell(out, table.rows[r][c], table.columns[c].align,
                    has_tip ? tip(details->rows[r], begins[c]) : "",
                    has_tip ? details->rows[r][begins[c] + kDetailCount - 1].text : "",
                    notes_of(table.rows[r][c], table.columns[c].align, table.notes));
      }
      out += "</tr>\n";
    }
    out += "</tbody>\n</table>\n";
  }
  out += notes_to_html(table.notes, table.warnings);
  return out + "</figure>\n";
}

}  // namespace sweepd
