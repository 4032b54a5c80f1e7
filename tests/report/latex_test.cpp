#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

Table latex_sample() {
  Table table;
  table.title = "Step time & memory";
  table.columns = {{"Model", "", Align::kLeft}, {"fp32", "ms", Align::kRight}};
  table.rows = {{{"small", {}}, {"12.3 ± 0.1", 12.3}},
                {{"large", {}}, {"45.6†§", 45.6, true}},
                {{"xl", {}}, {"OOM", {}}}};
  table.notes = {"fp32: mean ± std of time, n = 10", "† 45.6: above 100 % of the peak"};
  table.warnings = 1;
  return table;
}

// All text that a table can have, in one table.
Table latex_hostile(const std::string& text) {
  Table table;
  table.title = text;
  table.columns = {{text, text, Align::kLeft}, {"n", "", Align::kRight}};
  table.rows = {
      {{text, {}}, {text, {}, true}}, {{"[x]", {}}, {"-1.5 (-3%)", -1.5}}, {{"*x", {}}, {}}};
  table.notes = {text};
  return table;
}

const std::string kHostile =
    "\\input{x} {$a_b^c$} 50% #1 ~ & <b> |\"q\"| 'a' `b` [c] --set ± × · µ ² — – … → − ≤ ≥ √ ⌈ ⌉ ° "
    "∞ † ‡ §\n";

TEST(Latex, CaptionRulesMarksAndNotes) {
  EXPECT_EQ(to_latex(latex_sample()), R"(% needs \usepackage{booktabs}
\begin{table}[htbp]
  \centering
  \caption{Step time \& memory}
  \begin{tabular}{lr}
    \toprule
    Model & fp32 (ms) \\
    \midrule
    small & 12.3 \textpm{} 0.1 \\
    large & \textbf{45.6}\rlap{\textdagger{}\textsection{}} \\
    xl & OOM \\
    \bottomrule
  \end{tabular}
  \par\medskip
  \begin{minipage}{\linewidth}
    \footnotesize
    \textbullet{} fp32: mean \textpm{} std of time, n = 10\par
    \textbullet{} \textdagger{} 45.6: above 100 \% of the peak\par
  \end{minipage}
\end{table}
)");
}

TEST(Latex, EscapesWhatWouldBeACommand) {
  const std::string latex = to_latex(latex_hostile(kHostile));
  EXPECT_THAT(latex,
              testing::HasSubstr(R"(\textbackslash{}input\{x\} \{\$a\_b\textasciicircum{}c\$\})"));
  EXPECT_THAT(latex,
              testing::HasSubstr(R"(50\% \#1 \textasciitilde{} \& \textless{}b\textgreater{})"));
  EXPECT_THAT(latex, testing::HasSubstr("-{}-{}set"));
  EXPECT_THAT(latex, testing::HasSubstr(R"({[}x{]} & \textminus{}1.5 (\textminus{}3\%) \\)"));
  EXPECT_THAT(latex, testing::HasSubstr("\\\\\n    {*}x & ")) << "not the star of the row's end";
}

TEST(Latex, BackticksEncloseCode) {
  EXPECT_THAT(to_latex(latex_hostile("use `a_b --x` or `c` and `")),
              testing::HasSubstr(R"(\textbullet{} use \texttt{a\_b -{}-{}x} or \texttt{c} and )"
                                 R"(\textasciigrave{}\par)"));
}

// pdflatex stops at characters that its fonts lack. Box drawing is for terminals.
TEST(Latex, EveryCharacterOfTheSourcesIsKnown) {
  namespace fs = std::filesystem;
  const auto is_plot = [](std::string_view c) { return c >= "\u2500" && c <= "\u28ff"; };
  std::set<std::string> characters;
  for (const char* folder : {"runner", "db", "workloads"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(SWEEPD_SOURCE_FOLDER / fs::path(folder))) {
      const fs::path extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".h") continue;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) {
        line.resize(std::min(line.size(), line.find("//")));
        for (std::size_t i = 0; i < line.size();) {
          const auto lead = static_cast<unsigned char>(line[i]);
          const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
          if (bytes > 1) characters.insert(line.substr(i, bytes));
          i += bytes;
        }
      }
    }
  }
  EXPECT_GT(characters.size(), 20U);
  for (const std::string& character : characters) {
    if (is_plot(character)) continue;
    Table table;
    table.notes = {character};
    EXPECT_THAT(to_latex(table), testing::Not(testing::HasSubstr(character)));
  }
}

TEST(Latex, NoRowsIsALineNotAnEmptyTable) {
  Table table;
  table.title = "Step time";
  table.columns = {{"Model", "", Align::kLeft}};
  EXPECT_THAT(to_latex(table), testing::HasSubstr("\\caption{Step time}\n  No rows.\n"));
}

TEST(Latex, IsAFormat) {
  ASSERT_TRUE(format_from("latex"));
  EXPECT_EQ(render(latex_sample(), *format_from("latex"), 0), to_latex(latex_sample()));
}

// Every command that the renderer writes exists, and no text gets through as one.
TEST(Latex, PdflatexReadsIt) {
  if (std::system("command -v pdflatex > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "pdflatex is missing (texlive-latex-recommended)";
  }
  const auto folder =
      std::filesystem::temp_directory_path() / ("latex_test." + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "t.tex") << "\\documentclass{article}\\usepackage{booktabs}"
                                  << "\\begin{document}\n"
                                  << to_latex(latex_sample()) << to_latex(latex_hostile(kHostile))
                                  << "\\end{document}\n";
  const std::string command =
      "cd " + folder.string() +
      " && pdflatex -halt-on-error -interaction=nonstopmode t.tex > out 2>&1";
  const int status = std::system(command.c_str());
  std::ifstream file(folder / "out");
  const std::string output(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(status, 0) << output;
  EXPECT_THAT(output, testing::Not(testing::HasSubstr("Missing character")));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace sweepd
