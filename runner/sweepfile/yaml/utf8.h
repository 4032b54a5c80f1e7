// UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sweepd::sweepfile {

// Returns the offset of the first byte that belongs to no character, or npos.
std::size_t find_invalid_utf8(std::string_view text, std::size_t from = 0);

// Replaces each invalid byte by `?`. The length stays the same, so that columns stay right.
std::string repair_utf8(std::string_view text);

// Editors of one system put it in front of every file.
std::string_view without_byte_order_mark(std::string_view text);

}  // namespace sweepd::sweepfile
