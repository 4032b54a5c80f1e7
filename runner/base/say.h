// Printing for people. Client and daemon print all text through here, because any of it may contain
// foreign text (base/printable.h).
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <utility>

#include "runner/base/printable.h"

namespace sweepd {

// Prints lines without characters that terminals interpret. Throws std::system_error.
template <class... Args>
void say(std::FILE* to, fmt::format_string<Args...> format, Args&&... args) {
  fmt::print(to, "{}", printable_lines(fmt::format(format, std::forward<Args>(args)...)));
}
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  say(stdout, format, std::forward<Args>(args)...);
}

// Prints every byte: text of the program itself, such as colours, already escaped.
inline void print_exactly(std::FILE* to, std::string_view text) {
  fmt::print(to, "{}", text);
}

// Prints data byte by byte for programs (CSV, a log), and only its printable text at a terminal.
void print_data(std::FILE* to, std::string_view text);

}  // namespace sweepd
