#include "runner/client/document/page.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <fmt/format.h>

#include <cstdlib>
#include <kainjow/mustache.hpp>
#include <memory>
#include <random>

#include "runner/client/document/data_url.h"
#include "runner/client/document/page_template.h"
#include "runner/client/document/story_html.h"
#include "runner/report/report.h"

namespace sweepd {
namespace {

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

// Names the page's own script, so that a browser runs no other, whatever the page shows.
std::string nonce() {
  std::random_device random;
  std::string text;
  for (int i = 0; i < 4; ++i) text += fmt::format("{:08x}", random());
  return text;
}

// Puts the pictures into the page, since it is one file.
// Where the page has the library for it, each is followed by its specification.
std::string with_pictures(std::string html, const Document& document) {
  for (const DocumentPicture& picture : document.pictures) {
    const std::string shown = "<img src=\"" + picture.file + "\"";
    const std::size_t at = html.find(shown);
    if (at == std::string::npos) continue;
    html.replace(at, shown.size(), "<img src=\"" + svg_data_url(picture.svg) + "\"");
    if (document.plot_library.empty() || picture.vega_lite.empty()) continue;
    html.insert(html.find('>', at) + 1, plot_element(picture.vega_lite));
  }
  return html;
}

}  // namespace

std::string to_page(const Document& document) {
  using kainjow::mustache::data;
  data chapters{data::type::list};
  for (std::size_t i = 0; i < document.chapters.size(); ++i) {
    std::string body;
    for (const DocumentBlock& block : document.chapters[i].blocks) {
      if (block.table) {
        const auto& [table, details] = *block.table;
        body += to_html(table, details ? &*details : nullptr);
      } else {
        body += with_pictures(html_of(block.markdown), document);
      }
    }
    data chapter;
    chapter["id"] = fmt::format("chapter-{}", i + 1);
    chapter["title"] = document.chapters[i].title;
    chapter["body"] = body;
    chapters << chapter;
  }
  data page;
  page["title"] = document.title;
  page["introduction"] = html_of(document.introduction);
  page["chapters"] = std::move(chapters);
  page["changes"] = document.changes;
  page["nonce"] = nonce();
  std::string stories;
  const bool draws = !document.plot_library.empty();
  for (const DocumentStory& story : document.stories) stories += to_html(story, draws);
  page["stories"] = stories;
  page["script"] = std::string(kPageScript) + std::string(kStoryScript);
  page["library"] = document.plot_library;
  return kainjow::mustache::mustache(std::string(kPageTemplate)).render(page);
}

}  // namespace sweepd
