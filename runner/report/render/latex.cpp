#include <algorithm>
#include <array>
#include <utility>

#include "runner/base/printable.h"
#include "runner/base/text.h"
#include "runner/report/cell/cell.h"
#include "runner/report/cell/layout.h"
#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

using Replacement = std::pair<std::string_view, std::string_view>;

// Characters that pdflatex would interpret, or cannot set in its default fonts. Everything else is
// UTF-8, which LaTeX reads since 2018. Brackets and stars are braced because `\\` and `\item` would
// take them for their options.
constexpr std::array kReplacements{
    Replacement{"\\", "\\textbackslash{}"},
    Replacement{"{", "\\{"},
    Replacement{"}", "\\}"},
    Replacement{"$", "\\$"},
    Replacement{"&", "\\&"},
    Replacement{"#", "\\#"},
    Replacement{"%", "\\%"},
    Replacement{"_", "\\_"},
    Replacement{"^", "\\textasciicircum{}"},
    Replacement{"~", "\\textasciitilde{}"},
    Replacement{"<", "\\textless{}"},
    Replacement{">", "\\textgreater{}"},
    Replacement{"|", "\\textbar{}"},
    Replacement{"\"", "''"},
    Replacement{"'", "\\textquotesingle{}"},
    Replacement{"`", "\\textasciigrave{}"},
    Replacement{"[", "{[}"},
    Replacement{"]", "{]}"},
    Replacement{"*", "{*}"},
    Replacement{"--", "-{}-{}"},  // not a dash: notes name options

    Replacement{"†", "\\textdagger{}"},
    Replacement{"‡", "\\textdaggerdbl{}"},
    Replacement{"§", "\\textsection{}"},
    Replacement{"±", "\\textpm{}"},
    Replacement{"×", "\\texttimes{}"},
    Replacement{"·", "\\textperiodcentered{}"},
    Replacement{"µ", "\\textmu{}"},
    Replacement{"μ", "\\textmu{}"},
    Replacement{"²", "\\texttwosuperior{}"},
    Replacement{"³", "\\textthreesuperior{}"},
    Replacement{"—", "\\textemdash{}"},
    Replacement{"–", "\\textendash{}"},
    Replacement{"…", "\\textellipsis{}"},
    Replacement{"→", "\\textrightarrow{}"},
    Replacement{"−", "\\textminus{}"},
    Replacement{"≤", "\\ensuremath{\\leq}"},
    Replacement{"≥", "\\ensuremath{\\geq}"},
    Replacement{"∞", "\\ensuremath{\\infty}"},
    Replacement{"√", "\\ensuremath{\\surd}"},
    Replacement{"⌈", "\\ensuremath{\\lceil}"},
    Replacement{"⌉", "\\ensuremath{\\rceil}"},
    Replacement{"°", "\\textdegree{}"},
    Replacement{"\u00a0", "~"},
};

std::string in_latex(std::string_view untrusted) {
  const std::string clean = printable(untrusted);
  std::string_view text = clean;
  std::string out;
  while (!text.empty()) {
    const auto known =
        std::find_if(kReplacements.begin(), kReplacements.end(),
                     [&](const Replacement& each) { return text.starts_with(each.first); });
    if (known != kReplacements.end()) {
      out += known->second;
      text.remove_prefix(known->first.size());
      continue;
    }
    out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

// A pair of backticks encloses code.
std::string prose_in_latex(std::string_view text) {
  std::string out;
  for (std::size_t begin = text.find('`'); begin != std::string_view::npos;
       begin = text.find('`')) {
    const std::size_t end = text.find('`', begin + 1);
    if (end == std::string_view::npos) break;
    out += in_latex(text.substr(0, begin)) + "\\texttt{" +
           in_latex(text.substr(begin + 1, end - begin - 1)) + "}";
    text.remove_prefix(end + 1);
  }
  return out + in_latex(text);
}

// "-12.5" is a number and "fp32-to-bf16" is not: a hyphen in front of a digit is a minus.
std::string figure_in_latex(std::string_view text) {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const bool first = i == 0 || text[i - 1] == ' ' || text[i - 1] == '(';
    if (text[i] != '-' || !first || text[i + 1] < '0' || text[i + 1] > '9') continue;
    out += in_latex(text.substr(begin, i - begin)) + "\\textminus{}";
    begin = i + 1;
  }
  return out + in_latex(text.substr(begin));
}

// Marks take no width, so that the digits above and below them line up.
std::string cell_in_latex(const Cell& cell, Align align) {
  const std::size_t marks = report::begin_of_marks(cell.text);
  std::string out = figure_in_latex(std::string_view(cell.text).substr(0, marks));
  if (cell.bold) out = "\\textbf{" + out + "}";
  if (marks == cell.text.size()) return out;
  const std::string mark = in_latex(std::string_view(cell.text).substr(marks));
  return out + (align == Align::kRight ? "\\rlap{" + mark + "}" : mark);
}

std::string tabular(const Table& table) {
  std::string letters;
  std::vector<std::string> headers;
  for (const Column& column : table.columns) {
    letters += column.align == Align::kRight ? 'r' : 'l';
    headers.push_back(in_latex(report::header_text(column)));
  }
  std::string out = "  \\begin{tabular}{" + letters + "}\n    \\toprule\n    " +
                    join(headers, " & ") + " \\\\\n    \\midrule\n";
  for (const std::vector<Cell>& row : table.rows) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < row.size(); ++c) {
      cells.push_back(cell_in_latex(row[c], table.columns[c].align));
    }
    out += "    " + join(cells, " & ") + " \\\\\n";
  }
  return out + "    \\bottomrule\n  \\end{tabular}\n";
}

}  // namespace

std::string to_latex(const Table& table) {
  std::string out = "% needs \\usepackage{booktabs}\n\\begin{table}[htbp]\n  \\centering\n";
  std::vector<std::string> captions{table.title, table.caption};
  std::erase(captions, "");
  if (!captions.empty()) out += "  \\caption{" + prose_in_latex(join(captions, ". ")) + "}\n";
  const bool empty = table.rows.empty() || table.columns.empty();
  out += empty ? "  No rows.\n" : tabular(table);
  if (!table.notes.empty()) {
    out += "  \\par\\medskip\n  \\begin{minipage}{\\linewidth}\n    \\footnotesize\n";
    for (const std::string& note : table.notes) {
      out += "    \\textbullet{} " + prose_in_latex(note) + "\\par\n";
    }
    out += "  \\end{minipage}\n";
  }
  return out + "\\end{table}\n";
}

}  // namespace sweepd
