#include "runner/sweepfile/yaml/load.h"

#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/node/node.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "runner/model/sweep/sweep.h"
#include "runner/sweepfile/yaml/tree_builder.h"
#include "runner/sweepfile/yaml/utf8.h"

namespace sweepd::sweepfile {
namespace {

struct Explanation {
  std::string_view yaml_message;
  const char* message;
  const char* help;
};

// yaml-cpp's messages name its own states. These name what a person typed.
constexpr std::array kExplanations{
    Explanation{"illegal map value", "`:` is not expected here",
                "quote a text that contains `: `; check that the lines above are indented alike"},
    Explanation{"illegal map key", "a key is not expected here", ""},
    Explanation{"end of map not found", "this line does not belong to the map above it",
                "indent keys of one map by the same number of spaces"},
    Explanation{"end of sequence not found", "this line does not belong to the list above it",
                "indent items of one list by the same number of spaces"},
    Explanation{"end of sequence flow not found", "`,` or `]` is missing", ""},
    Explanation{"end of map flow not found", "`,` or `}` is missing", ""},
    Explanation{"illegal flow end", "this bracket closes nothing", ""},
    Explanation{"illegal block entry", "`- ` is not expected here",
                "check that the lines above are indented alike"},
    Explanation{"unknown token", "YAML cannot begin a value like this",
                "quote a text that begins with a special character"},
    Explanation{"the referenced anchor is not defined", "no anchor of this name is defined above",
                ""},
};

void report_syntax(const YAML::Exception& exception, const TreeBuilder& builder,
                   const SourceText& source, Reporter& report) {
  SourcePlace place{exception.mark.line + 1, exception.mark.column + 1, 1};
  if (exception.mark.is_null() || place.line > source.lines()) {
    place = {source.lines(), static_cast<int>(source.line(source.lines()).size()) + 1, 1};
  }
  // yaml-cpp treats a tab as part of the preceding value and reports an error somewhere later.
  const std::string_view line = source.line(place.line);
  const std::size_t tab = line.find('\t');
  if (tab < line.find_first_not_of(" \t")) {
    report.error(SourcePlace{place.line, static_cast<int>(tab) + 1, 1}, "a tab cannot indent YAML",
                 "use spaces");
    return;
  }
  std::string message = "not YAML: " + exception.msg;
  std::string help;
  for (const Explanation& known : kExplanations) {
    // yaml-cpp 0.8 adds which anchor.
    if (!exception.msg.starts_with(known.yaml_message)) continue;
    message = known.message;
    help = known.help;
  }
  if (const Mark* open = builder.open_flow(); open != nullptr && help.empty()) {
    const std::size_t at = source.offset(open->line, open->column);
    help = fmt::format("the `{}` at line {}, column {} is not closed yet",
                       at < source.text().size() ? source.text().substr(at, 1) : "[", open->line,
                       open->column);
  }
  report.error(place, message, help);
}

// Checks size and encoding. Refuses control characters, as YAML 1.2 does; yaml-cpp accepts them.
bool check_text(const SourceText& source, Reporter& report) {
  const std::string_view text = source.text();
  if (text.size() > kMaxSweepBytes) {
    report.error(SourcePlace{1, 1, 1},
                 fmt::format("the file has {} bytes; at most {} (1 MiB) are read", text.size(),
                             kMaxSweepBytes));
    return false;
  }
  if (const std::size_t at = find_invalid_utf8(text); at != std::string_view::npos) {
    report.error(source.place_at(at, 1), "this byte is not UTF-8 text",
                 "save the file in the UTF-8 encoding");
    return false;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    // yaml-cpp takes a carriage return for the end of a line only before a line feed.
    const bool ends_line = c == '\n' || (c == '\r' && text.substr(i + 1, 1) == "\n");
    if ((c >= 0x20 && c != 0x7f) || c == '\t' || ends_line) continue;
    report.error(source.place_at(i, 1), fmt::format("control character 0x{:02x} in the file", c));
    return false;
  }
  return true;
}

struct FoundDocument {
  NodePtr root;
  std::size_t begin = 0;  // offset of its first token
};

std::vector<FoundDocument> read_all(const SourceText& source, Reporter& report) {
  std::vector<FoundDocument> found;
  TreeBuilder builder(source, report);
  std::istringstream stream{std::string(source.text())};
  try {
    YAML::Parser parser(stream);
    std::size_t before = std::string_view::npos;
    while (parser.HandleNextDocument(builder)) {
      const Mark mark = builder.document_mark();
      const std::size_t here = source.offset(mark.line, mark.column);
      // On a stray `,` or `]` yaml-cpp 0.7 returns empty documents forever, all at one place.
      if (here == before) {
        report.error(SourcePlace{mark.line, mark.column, 1}, "YAML does not expect this here");
        break;
      }
      before = here;
      found.push_back({builder.take(), source.offset(mark.line, 1)});
    }
  } catch (const LimitExceeded&) {
    // Reported where it was found.
  } catch (const YAML::Exception& exception) {
    report_syntax(exception, builder, source, report);
  }
  return found;
}

// Removes the `---` that begins a document.
std::string_view without_marker(std::string_view text) {
  if (!text.starts_with("---")) return text;
  text.remove_prefix(3);
  if (text.starts_with("\r\n")) text.remove_prefix(2);
  if (text.starts_with("\n")) text.remove_prefix(1);
  return text;
}

}  // namespace

std::vector<Document> load_documents(const SourceText& source, Reporter& report) {
  std::vector<Document> documents;
  if (!check_text(source, report)) return documents;
  std::vector<FoundDocument> found = read_all(source, report);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i].root || found[i].root->kind == Node::Kind::kNothing) continue;
    // Comments above the first document belong to it; later ones belong to the preceding document.
    const std::size_t begin = documents.empty() ? 0 : found[i].begin;
    const std::size_t end = i + 1 < found.size() ? found[i + 1].begin : source.text().size();
    documents.push_back({std::move(found[i].root),
                         std::string(without_marker(source.text().substr(begin, end - begin)))});
  }
  return documents;
}

}  // namespace sweepd::sweepfile
