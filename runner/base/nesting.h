// How deep JSON of others may be nested. Writing, copying and comparing a JSON value calls itself
// once a level, so a line of nothing but brackets would exhaust the stack of whoever reads it. Ask
// before the text is parsed.
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
