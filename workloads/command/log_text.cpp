#include "workloads/command/log_text.h"

#include <algorithm>

namespace sweepd::command {
namespace {

constexpr char kEscapeByte = '\x1b';

// How long the command is that begins with the escape at the text's begin.
std::size_t command_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] == '[') {  // until a letter or one of @[\]^_`{|}~
    const auto end =
        std::find_if(text.begin() + 2, text.end(), [](char c) { return c >= '@' && c <= '~'; });
    return static_cast<std::size_t>(end - text.begin()) + (end == text.end() ? 0 : 1);
  }
  if (text[1] == ']') {  // a title or a link, until a bell or another escape with a backslash
    const std::size_t end = text.find_first_of("\a\x1b", 2);
    if (end == std::string_view::npos) return text.size();
    return text[end] == '\a' ? end + 1 : std::min(end + 2, text.size());
  }
  return 2;
}

}  // namespace

std::string without_colours(std::string_view line) {
  std::string plain;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == kEscapeByte) {
      at += command_length(line.substr(at));
    } else {
      plain += line[at++];
    }
  }
  return plain;
}

std::vector<std::string> words_in(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == std::string_view::npos) break;
    at = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.emplace_back(line.substr(begin, at - begin));
  }
  return words;
}

}  // namespace sweepd::command
