// A study: a document of chapters, each with prose, sweeps, their tables and plots
// (schemas/study.md), as it is at one scale.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sweepd {

// A figure in the prose, which is filled from the results of a sweep.
struct StudyFigure {
  static constexpr std::string_view kTitle = "a figure in prose";
  int line = 0, column = 0;  // of its `{{` in the study's file, or of its text below `figures`
  std::string name;          // below `figures`; "" for a figure within prose
  std::string sweep, cell, metric, unit;
  std::vector<std::string> where, baseline;  // "model=small"
  std::string top, by;  // of the points of `top`, the one where the metric `by` is largest
  static void visit(auto& self, auto&& field) {
    field("line", self.line, "in the study's file");
    field("column", self.column, "");
    field("name", self.name, "below `figures`; \"\" within prose");
    field("sweep", self.sweep, "its name");
    field("cell", self.cell, "");
    field("metric", self.metric, "");
    field("unit", self.unit, "");
    field("where", self.where, "`[\"model=small\"]`");
    field("baseline", self.baseline, "the same");
    field("top", self.top, "`kernel`: of the points of this, the one where `by` is largest");
    field("by", self.by, "a metric");
  }
};

// Prose up to a figure, and the figure.
struct StudyPiece {
  std::string markdown;
  std::optional<StudyFigure> figure;
  bool why = false;  // instead of a figure: why a claim is undecided
  static void visit(auto& self, auto&& field) {
    field("markdown", self.markdown, "");
    field("figure", self.figure, "that follows it");
    field("why", self.why, "instead: why a claim is undecided");
  }
};

// A sentence that is right or wrong, and its text for each case.
struct StudyClaim {
  static constexpr std::string_view kTitle = "a claim";
  int line = 0, column = 0;
  std::string condition;             // runner/model/vocabulary/condition.h
  std::vector<StudyFigure> figures;  // that the condition names
  std::vector<StudyPiece> holds, fails, unknown;
  std::vector<StudyPiece> finding;  // `holds` as a sentence that stands alone; empty if not given
  static void visit(auto& self, auto&& field) {
    field("line", self.line, "of the condition in the study's file");
    field("column", self.column, "");
    field("condition", self.condition, "`{a} < 0.9 * {b}`");
    field("figures", self.figures, "that the condition names");
    field("holds", self.holds, "prose where it holds");
    field("fails", self.fails, "prose where it does not");
    field("unknown", self.unknown, "prose where the figures do not tell");
    field("finding", self.finding, "prose for the document's first lines where it holds");
  }
};

// Prose, or a claim.
struct StudyPassage {
  std::vector<StudyPiece> prose;
  std::optional<StudyClaim> claim;
  static void visit(auto& self, auto&& field) {
    field("prose", self.prose, "");
    field("claim", self.claim, "instead of prose");
  }
};

// Prose, then the tables and plots of the sweeps of one file. Either may be missing.
struct StudyPart {
  static constexpr std::string_view kTitle = "a part of a study";
  int line = 0, column = 0;  // of the file's name
  std::vector<StudyPassage> text;
  std::string file;                       // of sweeps, as the study names it; "" for prose alone
  std::vector<std::string> set;           // "model=tiny"; complete once the file was read
  std::vector<std::string> sweeps;        // names, once the file was read
  std::vector<std::string> tables;        // titles to show
  bool all_tables = true;                 // instead of `tables`
  std::vector<std::string> plots;         // titles to show
  bool all_plots = true;                  // instead of `plots`
  std::vector<StudyFigure> timelines;     // of live memory; `name` is the title
  std::vector<StudyFigure> explain;       // what bounds a profiled step; `name` is the title
  bool in_short = false;                  // whether the short form has it
  std::vector<std::string> short_tables;  // titles to show there
  static void visit(auto& self, auto&& field) {
    field("line", self.line, "of `file` in the study's file");
    field("column", self.column, "");
    field("text", self.text, "");
    field("file", self.file, "of sweeps; \"\" for prose alone");
    field("set", self.set, "`[\"name=v1,v2\"]`");
    field("sweeps", self.sweeps, "their names");
    field("tables", self.tables, "titles");
    field("all_tables", self.all_tables, "all of the file's instead");
    field("plots", self.plots, "titles");
    field("all_plots", self.all_plots, "all of the file's instead");
    field("timelines", self.timelines, "of live memory; `name` is the title");
    field("explain", self.explain, "what bounds a profiled step; `name` is the title");
    field("in_short", self.in_short, "whether the short form has it");
    field("short_tables", self.short_tables, "titles to show there");
  }
};

struct StudyChapter {
  std::string title;
  std::vector<StudyPart> parts;
  static void visit(auto& self, auto&& field) {
    field("title", self.title, "");
    field("parts", self.parts, "");
  }
};

struct Study {
  static constexpr std::string_view kTitle = "a study";
  std::string name, title, description;
  std::string scale, scale_description;
  std::vector<std::string> scales;      // the whole file
  std::vector<std::string> references;  // files of published figures
  std::vector<StudyChapter> chapters;
  static void visit(auto& self, auto&& field) {
    field("name", self.name, "");
    field("title", self.title, "");
    field("description", self.description, "");
    field("scale", self.scale, "");
    field("scale_description", self.scale_description, "");
    field("scales", self.scales, "that the file has");
    field("references", self.references, "files of published figures");
    field("chapters", self.chapters, "");
  }
};

}  // namespace sweepd
