#include "runner/client/document/data_url.h"

#include <fmt/format.h>

#include <string_view>

namespace sweepd {

std::string svg_data_url(const std::string& svg) {
  std::string out = "data:image/svg+xml;charset=utf-8,";
  for (const char c : svg) {
    const bool control = static_cast<unsigned char>(c) < ' ';
    const bool escaped = control || std::string_view("%#<>\"&").find(c) != std::string_view::npos;
    out += escaped ? fmt::format("%{:02X}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return out;
}

std::string plot_element(const std::string& vega_lite) {
  std::string out = "<script type=\"application/json\" class=\"plot\">";
  for (const char c : vega_lite) out += c == '<' ? "\\u003c" : std::string(1, c);
  return out + "</script>";
}

}  // namespace sweepd
