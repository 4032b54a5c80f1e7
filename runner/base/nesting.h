// The limit on the nesting of foreign JSON. Writing, copying and comparing a JSON value recurse
// once a level, so a line of brackets would exhaust the reader's stack. Check a text before it is
// parsed.
#pragma once

#include <string>
#include <string_view>

namespace sweepd {

inline constexpr int kMaxNesting = 100;  // lists and objects within each other

// Correct for valid JSON; for other text, up to where a parser stops.
bool is_nested_too_deeply(std::string_view json);

// "nested more than 100 levels deep", to follow a name in a message.
std::string nested_too_deeply();

}  // namespace sweepd
