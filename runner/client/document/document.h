// A document of prose, tables and plots, as markdown or as one page of HTML.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/model/sweep/table.h"

namespace sweepd {

// A table, and the same with columns of n, verdict, outcome and attempt behind each figure's, which
// a page shows as tooltips.
struct DocumentTable {
  Table table;
  std::optional<Table> details;
};

// Markdown, or a table.
struct DocumentBlock {
  std::string markdown;
  std::optional<DocumentTable> table = std::nullopt;
  std::string picture = "";  // the file of the picture that the markdown shows, with its notes
};

struct DocumentChapter {
  std::string title;
  std::vector<DocumentBlock> blocks;
};

// A picture of a plot, which the markdown includes by its file's name, and a page inline.
struct DocumentPicture {
  std::string file;  // as seen from the document: "plots/precision-step-time.svg"
  std::string svg;   // as to_svg (runner/report/plot/plot.h) draws it; svg_file makes the file
  std::vector<std::string> notes = {};
};

// The details of one attempt. A page shows them when a figure of the attempt is clicked.
struct DocumentStory {
  // A metric's samples in the order in which they were taken.
  struct Samples {
    std::string name;  // "step time (ms)"
    std::vector<double> warmup, measured;
    std::size_t of = 0;  // how many there are, if these are only some of them
  };
  std::string attempt;  // as the figures name it
  std::string title;    // "timing, done, valid, 185.9 ms"
  std::string label;    // its parameters
  std::string why;      // why it ended so, or is not valid; ""
  std::vector<Samples> samples;
  std::vector<std::string> timelines;  // SVG: live memory, one a rank
  std::vector<Table> shown, folded;
  std::vector<std::string> also;  // attempts of the same trial whose stories are part of this one
};

struct Document {
  std::string title;
  std::string introduction;  // markdown
  std::vector<DocumentChapter> chapters;
  std::vector<DocumentPicture> pictures;
  // Only for a page; may be empty:
  std::vector<std::string>
      findings;      // markdown, a sentence each; a page begins with the first three
  std::string lead;  // the file of the picture beside them; "" is the first one
  std::vector<DocumentStory> stories;
  bool changes = false;  // it will be written again: a browser loads the page every few seconds
};

// Leaves at most three notes below each table, the last of which says `where` to find the others.
// Returns all notes of the tables that had more.
std::vector<DocumentBlock> keep_few_notes(Document& document, const std::string& where);

// The same, with a last chapter of the returned notes.
void move_notes_to_end(Document& document);

std::string to_markdown(const Document& document);

// Text escaped for markdown.
std::string as_code(const std::string& text);

}  // namespace sweepd
