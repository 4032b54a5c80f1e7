#include "runner/base/printable.h"

#include <fmt/format.h>

#include <cstdint>

namespace sweepd {
namespace {

struct Character {
  std::uint32_t point = 0;
  std::size_t length = 0;  // in bytes; 0: the byte belongs to no character
};

// RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(at);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
  if (length == 0 || lead > 0xf4 || at + length > text.size()) return {};
  std::uint32_t point = lead & (0x7fU >> length);
  for (std::size_t i = at + 1; i < at + length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {};
    point = (point << 6) | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xd800 && point <= 0xdfff;
  if (point < kSmallest[length] || point > 0x10ffff || surrogate) return {};
  return {point, length};
}

bool is_c0(std::uint32_t point) {
  return point < 0x20 || point == 0x7f;
}

// C1, marks and overrides of the direction, and Unicode's two other line ends.
bool is_other_control(std::uint32_t point) {
  return (point >= 0x80 && point <= 0x9f) || point == 0x61c || point == 0x200e || point == 0x200f ||
         (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

// `replace` returns the substitute for a character that must not be printed.
template <class Replace>
std::string without_controls(std::string_view text, std::string_view kept, Replace replace) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    const std::size_t length = c.length == 0 ? 1 : c.length;
    const bool stays = c.length == 1 && kept.find(text[at]) != std::string_view::npos;
    if (!stays && (c.length == 0 || is_c0(c.point) || is_other_control(c.point))) {
      out += replace(c);
    } else {
      out += text.substr(at, length);
    }
    at += length;
  }
  return out;
}

std::string blank_or_mark(const Character& c) {
  return c.length == 1 ? " " : "?";
}

}  // namespace

std::string printable(std::string_view text) {
  return without_controls(text, "", blank_or_mark);
}

std::string printable_lines(std::string_view text) {
  return without_controls(text, "\n\t", blank_or_mark);
}

bool is_printable(std::string_view text) {
  return printable_lines(text) == text;
}

std::string brief(std::string_view text) {
  constexpr std::size_t kShown = 80;
  if (text.size() <= kShown) return printable(text);
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return printable(text.substr(0, end)) + "…";
}

std::string printable_json(std::string_view json) {
  return without_controls(json, "\n\t", [](const Character& c) {
    return c.length == 0 ? std::string("?") : fmt::format("\\u{:04x}", c.point);
  });
}

}  // namespace sweepd
