// Makes foreign text harmless before output. Names, titles, values, messages and logs may come from
// another machine or from a program that was measured.
//
// Replaces the characters that terminals interpret: control characters (C0, DEL and C1, such as
// U+009B), marks that turn the direction of text round, and bytes that are not UTF-8, which some
// terminals take for C1. Each output escapes the rest itself (report/render/markup.h, for one).
#pragma once

#include <string>
#include <string_view>

namespace sweepd {

// Whether `printable_lines` changes nothing. Texts of a sweep file must pass this.
bool is_printable(std::string_view text);
// For a text within a line: C0 and DEL become spaces, the others `?`.
std::string printable(std::string_view text);
// The same for whole lines: line ends and tabs stay.
std::string printable_lines(std::string_view text);
// To quote a text in a message, which may have any length: its first 80 bytes, printable.
std::string brief(std::string_view text);
// For a whole JSON text, which stays the same document: the characters are written as \uXXXX.
std::string printable_json(std::string_view json);

}  // namespace sweepd
