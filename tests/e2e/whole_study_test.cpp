// Runs the whole study of experiments/ at its smallest scale, and compares the document with a
// golden file. The tables of each experiment have their own golden files (experiments_test.cpp),
// so of a table that varies only the head counts here. Constant tables, those of formulas, are
// compared to the digit. The prose has to be that of the study, with either result of its claims.
//
//   SWEEPD_UPDATE_GOLDEN=1 build/release/bin/test_e2e --gtest_filter='NightlyWholeStudy.*'
//
// writes tests/e2e/golden/study.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "runner/base/text.h"
#include "runner/report/cell/report.h"
#include "runner/sweepfile/study/study.h"
#include "tests/e2e/experiment_files.h"
#include "tests/e2e/python.h"
#include "tests/e2e/report_mask.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

#if SWEEPD_WITH_TORCH

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr auto kScale = "cpu-small";

// Titles of tables that show formulas alone.
using Titles = std::set<std::string>;

struct Shipped {
  Study study;
  Titles formulas;
};

Shipped parse_shipped(const Catalog& catalog) {
  Titles formulas, others;
  const ReadSweeps read = [&](const std::string& file, const std::vector<Override>& set) {
    const std::string path = std::string(EXPERIMENTS) + "/" + file;
    Parsed parsed = parse_sweeps(text_of(path), file, catalog, set);
    for (const Sweep& sweep : parsed.sweeps) {
      for (const TableSpec& table : sweep.tables) {
        const auto values = complete_values(table);
        const bool by_formula = std::ranges::all_of(values, [](const TableSpec::Value& value) {
          return value.metric.starts_with("figure.");
        });
        (by_formula ? formulas : others).insert(table.title);
      }
    }
    return StudySweeps{std::move(parsed.sweeps), std::move(parsed.unfit), render(parsed.errors)};
  };
  const fs::path file = fs::path(EXPERIMENTS) / "study.yaml";
  ParsedStudy parsed = parse_study(text_of(file), "study.yaml", kScale, catalog, read);
  EXPECT_EQ(render(parsed.errors), "");
  for (const std::string& title : others) formulas.erase(title);
  return {std::move(parsed.study), std::move(formulas)};
}

// Text independent of its line breaks.
std::string one_line(std::string text) {
  static const std::regex blanks("(\\s|\u00a0)+");
  return std::regex_replace(text, blanks, " ");
}

// Goes through a document and finds the study's prose in it, in order.
class Prose {
 public:
  explicit Prose(const std::string& document) : document_(one_line(document)) {}

  void find(const StudyPart& part) {
    for (const StudyPassage& passage : part.text) {
      if (!passage.claim) {
        EXPECT_TRUE(advance(passage.prose)) << "line " << part.line << " of " << part.file;
        continue;
      }
      const StudyClaim& claim = *passage.claim;
      EXPECT_TRUE(advance(claim.holds) || advance(claim.fails) || advance(claim.unknown))
          << claim.line << ": " << claim.condition;
    }
  }

 private:
  // Whether the pieces come next, with figures between them.
  bool advance(const std::vector<StudyPiece>& pieces) {
    constexpr std::size_t kLongestFigure = 300;
    std::size_t at = at_;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const std::string literal = one_line(std::string(trim(pieces[i].markdown)));
      const std::size_t found = document_.find(literal, at);
      const bool is_next = i == 0 || (found != std::string::npos && found - at < kLongestFigure);
      if (found == std::string::npos || !is_next) return false;
      at = found + literal.size();
    }
    at_ = at;
    return true;
  }

  const std::string document_;
  std::size_t at_ = 0;
};

std::string without_padding(const std::string& line) {
  static const std::regex spaces(" {2,}"), dashes("-{3,}");
  return std::regex_replace(std::regex_replace(line, spaces, " "), dashes, "---");
}

// Keeps tables of formulas, and of all others the title and the head. Which words a claim has
// depends on the figures, so prose is left out.
std::string without_measured_tables(const std::string& document, const Titles& formulas) {
  std::istringstream stream(document);
  std::string kept, title;
  int row = 0;         // of the table, from 1
  bool notes = false;  // of the last table or picture
  for (std::string line; std::getline(stream, line);) {
    if (line == "## How this was measured") break;
    if (line.starts_with("**") && line.ends_with("**")) title = line.substr(2, line.size() - 4);
    const bool in_table = line.starts_with('|');
    row = in_table ? row + 1 : 0;
    const bool picture = line.starts_with("![");
    if (picture) title.clear();
    notes = in_table || picture || (notes && (line.empty() || line.starts_with("- ")));
    const bool whole = formulas.contains(title);
    const bool is_prose = !in_table && !picture && !line.empty() && !line.starts_with('#') &&
                          !line.starts_with("**") && !(notes && line.starts_with("- "));
    if (is_prose) continue;
    if (whole || (in_table ? row <= 1 : !(notes && line.starts_with("- ")))) {
      kept += (in_table ? without_padding(line) : line) + "\n";
    }
  }
  static const std::regex empty("\n{3,}");
  return std::regex_replace(kept, empty, "\n\n");
}

TEST(NightlyWholeStudy, ReadsFromStartToEndWithoutAHole) {
  const Shipped shipped = parse_shipped(shipped_catalog());
  const Sandbox box(SWEEP_WORKER);
  const fs::path out = box.folder() / "writeup";
  const Ran ran = box.ctl(
      {"study", std::string(EXPERIMENTS) + "/study.yaml", "--scale", kScale, "-o", out.string()});
  // 4: some points do not fit into the memory that they may have, and others need packages.
  EXPECT_EQ(ran.exit_code, 4) << ran.err;
  EXPECT_THAT(ran.err, Not(HasSubstr("missing")));
  const std::string document = text_of(out / "writeup.md");
  EXPECT_THAT(document, Not(HasSubstr("**["))) << "a figure or a table is missing";
  Prose prose(document);
  for (const StudyChapter& chapter : shipped.study.chapters) {
    for (const StudyPart& part : chapter.parts) prose.find(part);
  }
  std::string masked = without_measured_tables(document, shipped.formulas);
  const std::string device = box.sql("select name from device limit 1");
  for (std::size_t at = masked.find(device); at != std::string::npos;
       at = masked.find(device, at)) {
    masked.replace(at, device.size(), "DEVICE");
  }
  const fs::path golden = fs::path(GOLDEN) / "study.md";
  if (std::getenv("SWEEPD_UPDATE_GOLDEN") != nullptr) std::ofstream(golden) << masked;
  EXPECT_EQ(text_of(golden), masked) << "SWEEPD_UPDATE_GOLDEN=1 writes " << golden;
  EXPECT_GT(fs::file_size(out / "writeup.html"), fs::file_size(out / "writeup.md"));
}

#endif

}  // namespace
}  // namespace sweepd::e2e
