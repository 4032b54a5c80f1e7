#include "runner/sweepfile/yaml/utf8.h"

#include <cstdint>

namespace sweepd::sweepfile {
namespace {

// Returns the length in bytes of the character at `i`, or 0 if it is invalid.
std::size_t length_at(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned lead = byte(i);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
  if (length == 0 || lead > 0xf4 || i + length > text.size()) return 0;
  std::uint32_t point = lead & (0x7fU >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xc0U) != 0x80U) return 0;
    point = (point << 6) | (byte(i + k) & 0x3fU);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xd800 && point <= 0xdfff;
  return point < kSmallest[length] || point > 0x10ffff || surrogate ? 0 : length;
}

}  // namespace

std::size_t find_invalid_utf8(std::string_view text, std::size_t from) {
  while (from < text.size()) {
    const std::size_t length = length_at(text, from);
    if (length == 0) return from;
    from += length;
  }
  return std::string_view::npos;
}

std::string repair_utf8(std::string_view text) {
  std::string out(text);
  for (std::size_t at = find_invalid_utf8(out); at != std::string::npos;
       at = find_invalid_utf8(out, at + 1)) {
    out[at] = '?';
  }
  return out;
}

std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

}  // namespace sweepd::sweepfile
