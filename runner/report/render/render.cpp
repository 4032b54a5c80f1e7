#include <array>
#include <utility>

#include "runner/base/text.h"
#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

constexpr std::array<std::pair<std::string_view, Format>, 6> kFormats{{
    {"md", Format::kMarkdown},
    {"csv", Format::kCsv},
    {"json", Format::kJson},
    {"text", Format::kText},
    {"latex", Format::kLatex},
    {"html", Format::kHtml},
}};

}  // namespace

Result<Format> format_from(std::string_view name) {
  for (const auto& [known, format] : kFormats) {
    if (known == name) return format;
  }
  const std::vector<std::string> names = format_words();
  return Error{ErrorCode::kInvalidArgument, "`" + std::string(name) +
                                                "` is not a format; expected one of " +
                                                join(names, ", ") + did_you_mean(name, names)};
}

std::vector<std::string> format_words() {
  std::vector<std::string> names;
  for (const auto& [known, format] : kFormats) names.emplace_back(known);
  return names;
}

std::string render(const Table& table, Format format, std::size_t width) {
  switch (format) {
    case Format::kMarkdown:
      return to_markdown(table);
    case Format::kCsv:
      return to_csv(table);
    case Format::kJson:
      return to_json_text(table);
    case Format::kText:
      return to_text(table, width);
    case Format::kLatex:
      return to_latex(table);
    case Format::kHtml:
      return to_html(table);
  }
  return {};
}

}  // namespace sweepd
