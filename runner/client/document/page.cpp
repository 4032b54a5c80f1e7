#include "runner/client/document/page.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <kainjow/mustache.hpp>
#include <memory>
#include <random>

#include "runner/base/ids.h"
#include "runner/base/printable.h"
#include "runner/base/text.h"
#include "runner/client/document/page_script.h"
#include "runner/client/document/page_template.h"
#include "runner/report/cell/report.h"
#include "runner/report/plot/plot.h"
#include "runner/report/render/markup.h"

namespace sweepd {
namespace {

using report::escape_markup;

std::string numbers(const std::vector<double>& values) {
  return fmt::format("[{:.6g}]", fmt::join(values, ","));
}

// An attempt's details as a template of HTML: a browser does not lay it out before it is opened.
std::string to_html(const DocumentStory& story) {
  std::string out = fmt::format("<template id=\"story-{}\" data-also=\"{}\">\n",
                                escape_markup(story.attempt), escape_markup(join(story.also, " ")));
  out +=
      fmt::format("<h3>Attempt {}: {}</h3>\n", escape_markup(std::string(short_id(story.attempt))),
                  escape_markup(story.title));
  if (!story.label.empty()) out += "<p>" + escape_markup(story.label) + "</p>\n";
  if (!story.why.empty())
    out += "<p class=\"why\"><strong>" + escape_markup(story.why) + "</strong></p>\n";
  for (const DocumentStory::Samples& samples : story.samples) {
    out += fmt::format(
        "<figure class=\"dots\" data-name=\"{}\" data-of=\"{}\" data-warmup=\"{}\" "
        "data-measured=\"{}\"></figure>\n",
        escape_markup(samples.name), samples.of, numbers(samples.warmup),
        numbers(samples.measured));
  }
  for (const std::string& timeline : story.timelines) {
    out += "<figure class=\"drawn\">" + timeline + "</figure>\n";
  }
  for (const Table& table : story.shown) out += to_html(table);
  for (Table table : story.folded) {
    const std::string title = std::exchange(table.title, "");
    out += "<details><summary>" + escape_markup(title) + "</summary>" + to_html(table) +
           "</details>\n";
  }
  return out + "</template>\n";
}

constexpr int kCmarkOptions = CMARK_OPT_DEFAULT | CMARK_OPT_VALIDATE_UTF8;

struct ParserDeleter {
  void operator()(cmark_parser* parser) const { cmark_parser_free(parser); }
};
struct NodeDeleter {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
};
struct TextDeleter {
  void operator()(char* text) const { std::free(text); }
};

std::string html_of(const std::string& markdown) {
  cmark_gfm_core_extensions_ensure_registered();
  const std::unique_ptr<cmark_parser, ParserDeleter> parser(cmark_parser_new(kCmarkOptions));
  for (const char* name : {"table", "strikethrough", "autolink"}) {
    cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension(name));
  }
  cmark_parser_feed(parser.get(), markdown.data(), markdown.size());
  const std::unique_ptr<cmark_node, NodeDeleter> root(cmark_parser_finish(parser.get()));
  const std::unique_ptr<char, TextDeleter> html(cmark_render_html(
      root.get(), kCmarkOptions, cmark_parser_get_syntax_extensions(parser.get())));
  return html.get();
}

// Identifies the page's script, so that a browser runs no other.
std::string nonce() {
  std::random_device random;
  std::string text;
  for (int i = 0; i < 4; ++i) text += fmt::format("{:08x}", random());
  return text;
}

std::string to_html(const DocumentPicture& picture) {
  return "<figure class=\"drawn\">" + picture.svg + "\n" +
         notes_to_html(picture.notes, picture.notes.size()) + "</figure>\n";
}

// Null if there is none of this file.
const DocumentPicture* picture_of(const Document& document, const std::string& file) {
  const auto found = std::ranges::find(document.pictures, file, &DocumentPicture::file);
  return found == document.pictures.end() ? nullptr : &*found;
}

// Prose may show pictures too. They are drawn into the page, since it is one file.
std::string with_pictures(std::string html, const Document& document) {
  for (const DocumentPicture& picture : document.pictures) {
    const std::string begin = "<p><img src=\"" + picture.file + "\"", end = "/></p>\n";
    const std::size_t at = html.find(begin);
    if (at == std::string::npos) continue;
    html.replace(at, html.find(end, at) + end.size() - at, to_html(picture));
  }
  return html;
}

// Tables and plots without prose between them stand side by side where the window has room.
class Row {
 public:
  explicit Row(std::string& out) : out_(out) {}
  void add(bool is_figure) {
    if (is_figure != open_) out_ += is_figure ? "<div class=\"row\">\n" : "</div>\n";
    open_ = is_figure;
  }
  void end() { add(false); }

 private:
  std::string& out_;
  bool open_ = false;
};

bool is_figure(const DocumentBlock& block) {
  return block.table || !block.picture.empty();
}

std::string to_html(const DocumentChapter& chapter, const Document& document) {
  std::string body;
  Row row(body);
  for (const DocumentBlock& block : chapter.blocks) {
    row.add(is_figure(block));
    if (block.table) {
      const auto& [table, details] = *block.table;
      body += to_html(table, details ? &*details : nullptr);
    } else if (const DocumentPicture* picture = picture_of(document, block.picture)) {
      body += to_html(*picture);
    } else {
      body += with_pictures(html_of(block.markdown), document);
    }
  }
  row.end();
  return body;
}

std::string lead_of(const Document& document) {
  if (document.pictures.empty()) return "";
  const DocumentPicture* lead = picture_of(document, document.lead);
  return to_html(lead != nullptr ? *lead : document.pictures.front());
}

std::string findings_of(const Document& document) {
  constexpr std::size_t kMost = 3;  // fit the first screen
  if (document.findings.empty()) return "";
  std::string list;
  for (std::size_t i = 0; i < std::min(kMost, document.findings.size()); ++i) {
    list += "- " + document.findings[i] + "\n";
  }
  return "<div class=\"findings\">\n" + html_of(list) + "</div>\n";
}

}  // namespace

std::string to_page(const Document& document) {
  using kainjow::mustache::data;
  std::string chapters;
  Row row(chapters);
  data contents{data::type::list};
  for (std::size_t i = 0; i < document.chapters.size(); ++i) {
    const DocumentChapter& each = document.chapters[i];
    row.add(std::ranges::all_of(each.blocks, is_figure));
    data chapter;
    chapter["id"] = fmt::format("chapter-{}", i + 1);
    chapter["title"] = printable(each.title);
    chapter["body"] = printable_lines(to_html(each, document));
    chapters += kainjow::mustache::mustache(std::string(kChapterTemplate)).render(chapter);
    contents << chapter;
  }
  row.end();
  data page;
  page["title"] = printable(document.title);
  page["introduction"] = printable_lines(html_of(document.introduction));
  page["findings"] = printable_lines(findings_of(document));
  page["lead"] = lead_of(document);
  page["contents"] = std::move(contents);
  page["chapters"] = chapters;
  page["changes"] = document.changes;
  page["nonce"] = nonce();
  page["style"] = std::string(kPageStyle) + std::string(kSvgStyle);
  std::string stories;
  for (const DocumentStory& story : document.stories) stories += to_html(story);
  page["stories"] = stories;
  page["script"] = std::string(kPageScript) + std::string(kTipScript) + std::string(kStoryScript);
  return kainjow::mustache::mustache(std::string(kPageTemplate)).render(page);
}

}  // namespace sweepd
