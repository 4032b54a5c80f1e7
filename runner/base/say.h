// Printing for people. All that the client and the daemon print goes through here, because any of
// it may contain what strangers wrote (base/printable.h).
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <utility>

#include "runner/base/printable.h"

namespace sweepd {

// Prints lines without what a terminal would take for a command. Throws std::system_error.
template <class... Args>
void say(std::FILE* to, fmt::format_string<Args...> format, Args&&... args) {
  fmt::print(to, "{}", printable_lines(fmt::format(format, std::forward<Args>(args)...)));
}
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  say(stdout, format, std::forward<Args>(args)...);
}

// Prints every byte: what the program itself has made, such as colours, and has escaped.
inline void print_exactly(std::FILE* to, std::string_view text) {
  fmt::print(to, "{}", text);
}

// Prints data of which a program wants every byte (CSV, a log), and at a terminal only what is
// printable.
void print_data(std::FILE* to, std::string_view text);

}  // namespace sweepd
