// Small text helpers shared by every message a person reads.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sweepd {

// Levenshtein distance with transpositions counted as one edit (people swap letters).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate a person most likely meant, or nothing when none is near (more than a third of the
// letters wrong).
std::optional<std::string> nearest(std::string_view typed, std::span<const std::string> candidates);

// ` (did you mean `context`?)`, or "" when nothing is near. Ready to append to a message.
std::string did_you_mean(std::string_view typed, std::span<const std::string> candidates);

std::string join(std::span<const std::string> parts, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);

// Columns a terminal uses for UTF-8 text: code points, wide and combining ones by wcwidth's rules
// for the ranges our tables meet (CJK, emoji, combining marks).
std::size_t display_width(std::string_view utf8);

}  // namespace sweepd
