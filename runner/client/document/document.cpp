#include "runner/client/document/document.h"

#include "runner/base/text.h"
#include "runner/report/report.h"

namespace sweepd {

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
  return out;
}

std::string as_code(const std::string& text) {
  std::string fence = "```";  // longer than any run of backticks in the text
  while (text.find(fence) != std::string::npos) fence += '`';
  return fence + "\n" + text + (text.ends_with('\n') ? "" : "\n") + fence;
}

}  // namespace sweepd
