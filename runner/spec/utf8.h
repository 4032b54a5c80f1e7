// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sweepd::spec {

// Offset of the first byte that belongs to no character; npos when there is none.
std::size_t find_invalid_utf8(std::string_view text, std::size_t from = 0);

// The same number of bytes with `?` for each invalid one, so that columns stay right.
std::string repair_utf8(std::string_view text);

}  // namespace sweepd::spec
