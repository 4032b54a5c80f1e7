#include "runner/client/document/document.h"

#include "runner/base/printable.h"
#include "runner/base/text.h"
#include "runner/report/cell/report.h"

namespace sweepd {

namespace {

constexpr const char* kNotesTitle = "All notes";

// A list of its notes below its title.
std::string notes_of(const Table& table, const std::string& title) {
  Table alone;
  alone.title = title;
  alone.notes = table.notes;
  return notes_in_markdown(alone);
}

}  // namespace

std::vector<DocumentBlock> keep_few_notes(Document& document, const std::string& where) {
  std::vector<DocumentBlock> all;
  for (DocumentChapter& chapter : document.chapters) {
    for (DocumentBlock& block : chapter.blocks) {
      if (!block.table) continue;
      Table& table = block.table->table;
      const std::size_t before = table.notes.size();
      Table few = with_few_notes(table, where);
      if (few.notes.size() == before) continue;
      all.push_back({notes_of(table, table.title.empty() ? chapter.title : table.title)});
      table = std::move(few);
    }
  }
  return all;
}

void move_notes_to_end(Document& document) {
  auto notes = keep_few_notes(document, std::string("in \"") + kNotesTitle + "\"");
  if (!notes.empty()) document.chapters.push_back({kNotesTitle, std::move(notes)});
}

std::string to_markdown(const Document& document) {
  std::string out = "# " + document.title + "\n";
  if (!document.introduction.empty()) out += "\n" + document.introduction + "\n";
  for (const DocumentChapter& chapter : document.chapters) {
    out += "\n## " + chapter.title + "\n";
    for (const DocumentBlock& block : chapter.blocks) {
      const std::string text = block.table ? to_markdown(block.table->table) : block.markdown;
      out += "\n" + std::string(trim(text)) + "\n";
    }
  }
  return printable_lines(out);
}

std::string as_code(const std::string& text) {
  std::string fence = "```";  // longer than any run of backticks in the text
  while (text.find(fence) != std::string::npos) fence += '`';
  return fence + "\n" + text + (text.ends_with('\n') ? "" : "\n") + fence;
}

}  // namespace sweepd
