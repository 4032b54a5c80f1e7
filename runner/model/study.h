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
  int line = 0, column = 0;  // of its `{{` in the study's file
  std::string sweep, cell, metric, unit;
  std::vector<std::string> where, baseline;  // "model=small"
  static void visit(auto& self, auto&& field) {
    field("line", self.line, "in the study's file");
    field("column", self.column, "");
    field("sweep", self.sweep, "its name");
    field("cell", self.cell, "");
    field("metric", self.metric, "");
    field("unit", self.unit, "");
    field("where", self.where, "`[\"model=small\"]`");
    field("baseline", self.baseline, "the same");
  }
};

// Prose up to a figure, and the figure.
struct StudyPiece {
  std::string markdown;
  std::optional<StudyFigure> figure;
  static void visit(auto& self, auto&& field) {
    field("markdown", self.markdown, "");
    field("figure", self.figure, "that follows it");
  }
};

// Prose, then the tables and plots of the sweeps of one file. Either may be missing.
struct StudyPart {
  static constexpr std::string_view kTitle = "a part of a study";
  int line = 0, column = 0;  // of the file's name
  std::vector<StudyPiece> text;
  std::string file;                 // of sweeps, as the study names it; "" for prose alone
  std::vector<std::string> set;     // "model=tiny"; complete once the file was read
  std::vector<std::string> sweeps;  // names, once the file was read
  std::vector<std::string> tables;  // titles to show
  bool all_tables = true;           // instead of `tables`
  std::vector<std::string> plots;   // titles to show
  bool all_plots = true;            // instead of `plots`
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
  std::vector<std::string> scales;      // all that the file has
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
