// Small text helpers for messages.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sweepd {

// Levenshtein distance with transpositions counted as one edit (users swap letters).
std::size_t edit_distance(std::string_view a, std::string_view b);

// Returns the most likely intended candidate, or nothing if none is near (more than a
// third of the letters wrong).
std::optional<std::string> nearest(std::string_view typed, std::span<const std::string> candidates);

// Returns ` (did you mean `context`?)` to append to a message, or "" if nothing is near.
std::string did_you_mean(std::string_view typed, std::span<const std::string> candidates);

std::string join(std::span<const std::string> parts, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
// Quoted where a POSIX shell needs it.
std::string shell_word(std::string_view text);

// Returns the columns that a terminal uses for UTF-8 text: one per code point, with wide and
// combining ones by wcwidth's rules for the ranges in our tables (CJK, emoji, combining marks).
std::size_t display_width(std::string_view utf8);

}  // namespace sweepd
