#include "workloads/command/spelling.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace sweepd::command {
namespace {

// JSON in JSON in JSON has seven backslashes before a quote.
constexpr std::size_t kMostBackslashes = 31;
constexpr std::size_t kLongestEscape = 10;  // `u{10ffff}`, `U0010ffff`

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

std::string utf8_of(std::uint32_t code) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xC0 | code >> 6), byte(0x80 | (code & 0x3F))};
  if (code < 0x10000) {
    return {byte(0xE0 | code >> 12), byte(0x80 | (code >> 6 & 0x3F)), byte(0x80 | (code & 0x3F))};
  }
  return {byte(0xF0 | (code >> 18 & 0x07)), byte(0x80 | (code >> 12 & 0x3F)),
          byte(0x80 | (code >> 6 & 0x3F)), byte(0x80 | (code & 0x3F))};
}

// What is behind the backslashes: the character or byte that it means, and where it ends.
struct Escape {
  std::uint32_t code = 0;
  std::size_t end = 0;
};

std::optional<Escape> digits(std::string_view text, std::size_t at, std::size_t count, int base) {
  if (text.size() < at + count || count == 0 || count > 8) return std::nullopt;
  Escape escape{0, at + count};
  for (const char c : text.substr(at, count)) {
    int value = base;
    if (c >= '0' && c <= '9') value = c - '0';
    if (c >= 'a' && c <= 'f') value = c - 'a' + 10;
    if (c >= 'A' && c <= 'F') value = c - 'A' + 10;
    if (value >= base) return std::nullopt;
    escape.code =
        escape.code * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(value);
  }
  return escape;
}

std::optional<Escape> letter(std::string_view text, std::size_t at) {
  constexpr std::array<std::pair<char, char>, 9> kLetters{{{'n', '\n'},
                                                           {'r', '\r'},
                                                           {'t', '\t'},
                                                           {'b', '\b'},
                                                           {'f', '\f'},
                                                           {'v', '\v'},
                                                           {'a', '\a'},
                                                           {'e', '\x1b'},
                                                           {'E', '\x1b'}}};
  for (const auto& [name, meant] : kLetters) {
    if (at < text.size() && text[at] == name)
      return Escape{static_cast<std::uint32_t>(meant), at + 1};
  }
  return std::nullopt;
}

std::size_t behind_backslashes(std::string_view text, std::size_t at) {
  const std::size_t most = std::min(text.size(), at + kMostBackslashes);
  while (at < most && text[at] == '\\') ++at;
  return at;
}

// One of UTF-16, of which two may be a character.
std::optional<Escape> utf16(std::string_view text, std::size_t at) {
  const auto first = digits(text, at + 1, 4, 16);
  if (!first || first->code < 0xD800 || first->code > 0xDBFF) return first;
  const std::size_t next = behind_backslashes(text, first->end);
  if (next == first->end || next >= text.size() || text[next] != 'u') return first;
  const auto second = digits(text, next + 1, 4, 16);
  if (!second || second->code < 0xDC00 || second->code > 0xDFFF) return first;
  return Escape{0x10000 + ((first->code - 0xD800) << 10) + (second->code - 0xDC00), second->end};
}

std::optional<Escape> escaped_character(std::string_view text, std::size_t at) {
  if (at >= text.size()) return std::nullopt;
  if (text[at] == 'U') return digits(text, at + 1, 8, 16);
  if (text[at] == 'x') return digits(text, at + 1, 2, 16);
  if (text.substr(at).starts_with("u{")) {
    const std::size_t end = text.substr(0, at + kLongestEscape).find('}', at);
    if (end == std::string_view::npos) return std::nullopt;
    auto escape = digits(text, at + 2, end - at - 2, 16);
    if (escape) ++escape->end;
    return escape;
  }
  if (text[at] == 'u') return utf16(text, at);
  if (auto escape = digits(text, at, 3, 8)) return escape;
  return letter(text, at);
}

// Where `character` ends that is written byte by byte, as `\xc3\xa9` or `\303\251`; 0: it is not.
std::size_t escaped_bytes(std::string_view text, std::size_t at, std::string_view character) {
  for (const char byte : character) {
    const std::size_t begin = behind_backslashes(text, at);
    if (begin == at || begin >= text.size()) return 0;
    const auto escape =
        text[begin] == 'x' ? digits(text, begin + 1, 2, 16) : digits(text, begin, 3, 8);
    if (!escape || escape->code != static_cast<unsigned char>(byte)) return 0;
    at = escape->end;
  }
  return at;
}

// Adds where a spelling of `character` that begins at `at` may end. Returns whether the text ended
// before that was clear.
bool add_ends(std::string_view text, std::size_t at, const std::string& character,
              std::vector<std::size_t>& ends) {
  const std::string_view rest = text.substr(at);
  bool unclear = rest.size() < character.size() && character.starts_with(rest);
  if (rest.starts_with(character)) ends.push_back(at + character.size());
  if ((character == "\"" || character == "'") && rest.starts_with(character)) {
    if (rest.substr(1).starts_with(character)) ends.push_back(at + 2);
    unclear |= rest.size() == 1;
  }
  const std::size_t behind = behind_backslashes(text, at);
  if (behind == at) return unclear;
  if (character == "\\") {
    for (std::size_t end = at + 2; end <= behind; ++end) ends.push_back(end);
  }
  const std::string_view escaped = text.substr(behind);
  if (escaped.starts_with(character)) ends.push_back(behind + character.size());
  const auto one = escaped_character(text, behind);
  if (one && utf8_of(one->code) == character) ends.push_back(one->end);
  const std::size_t bytes = escaped_bytes(text, at, character);
  if (bytes > 0) ends.push_back(bytes);
  // A character may have four of these, with their backslashes.
  return unclear || escaped.size() < 4 * kLongestEscape;
}

}  // namespace

Spelling::Spelling(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at++;
    if (static_cast<unsigned char>(text[begin]) >= 0xC0) {
      while (at < text.size() && at < begin + 4 && continues(text[at])) ++at;
    }
    characters_.emplace_back(text.substr(begin, at - begin));
  }
}

Spelling::Match Spelling::at(std::string_view text, std::size_t at) const {
  // Nearly all places are left here.
  const std::string& first = characters_.front();
  const std::size_t next = at + first.size();
  if (text[at] != '\\' && characters_.size() > 1 && next < text.size() && text[next] != '\\' &&
      text[next] != first.front() && text[next] != characters_[1].front()) {
    return {};
  }
  std::vector<std::size_t> places{at}, ends;
  Match match;
  for (const std::string& character : characters_) {
    ends.clear();
    for (const std::size_t place : places) {
      match.may_go_on |= add_ends(text, place, character, ends);
    }
    if (ends.empty()) return match;
    std::ranges::sort(ends);
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    places.swap(ends);
  }
  match.bytes = places.back() - at;
  return match;
}

}  // namespace sweepd::command
