#include "runner/report/render/markup.h"

#include <algorithm>

#include "runner/base/printable.h"

namespace sweepd::report {

std::string escape_markup(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string escape_lines(std::string_view text) {
  std::string out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (begin > 0) out += "&#10;";
    out += escape_markup(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

}  // namespace sweepd::report
