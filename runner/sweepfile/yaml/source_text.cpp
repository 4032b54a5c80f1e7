#include "runner/sweepfile/yaml/source_text.h"

#include <algorithm>

namespace sweepd::sweepfile {
namespace {

constexpr std::string_view kBlank = " \t";
constexpr std::string_view kFlowEnd = ",[]{}";

// Returns the end of the quoted scalar at `begin` (one past its closing quote), or npos.
std::size_t end_of_quoted(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      // Inside single quotes, '' is one quote.
      if (quote == '\'' && i + 1 < text.size() && text[i + 1] == quote) {
        ++i;
      } else {
        return i + 1;
      }
    }
  }
  return std::string_view::npos;
}

std::size_t end_of_flow(std::string_view line, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = begin; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' || c == '\'') {
      i = end_of_quoted(line, i);
      if (i == std::string_view::npos) return i;
      --i;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if ((c == ']' || c == '}') && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

// Inside a flow collection a plain scalar ends at punctuation. The line alone does not show whether
// that applies (`a, b` is a valid block scalar), so an open bracket before `begin` decides.
bool inside_flow(std::string_view line, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = 0; i < begin && i < line.size(); ++i) {
    if (line[i] == '[' || line[i] == '{') ++depth;
    if (line[i] == ']' || line[i] == '}') --depth;
  }
  return depth > 0;
}

std::size_t end_of_plain(std::string_view line, std::size_t begin) {
  const bool flow = inside_flow(line, begin);
  std::size_t end = begin;
  for (; end < line.size(); ++end) {
    const char c = line[end];
    if (flow && kFlowEnd.find(c) != std::string_view::npos) break;
    if (c == ':' &&
        (end + 1 == line.size() || kBlank.find(line[end + 1]) != std::string_view::npos))
      break;
    if (c == '#' && end > begin && kBlank.find(line[end - 1]) != std::string_view::npos) break;
  }
  while (end > begin && kBlank.find(line[end - 1]) != std::string_view::npos) --end;
  return end;
}

std::size_t end_of_token(std::string_view line, std::size_t begin) {
  if (begin >= line.size()) return begin + 1;
  std::size_t end = std::string_view::npos;
  const char c = line[begin];
  if (c == '"' || c == '\'') {
    end = end_of_quoted(line, begin);
  } else if (c == '[' || c == '{') {
    end = end_of_flow(line, begin);
  } else if (c == '-' && begin + 1 < line.size() && line[begin + 1] == ' ') {
    end = line.size();  // a block list: the rest of the line is its first item
  } else {
    end = end_of_plain(line, begin);
  }
  if (end == std::string_view::npos) end = line.size();
  return std::max(end, begin + 1);
}

// Skips `&anchor` and `!tag`, unless the value itself is on a later line.
std::size_t skip_properties(std::string_view line, std::size_t begin) {
  std::size_t at = begin;
  while (at < line.size() && (line[at] == '&' || line[at] == '!')) {
    const std::size_t blank = line.find_first_of(kBlank, at);
    if (blank == std::string_view::npos) return begin;
    const std::size_t next = line.find_first_not_of(kBlank, blank);
    if (next == std::string_view::npos || line[next] == '#') return begin;
    at = next;
  }
  return at;
}

}  // namespace

SourceText::SourceText(std::string_view text) : text_(text) {
  begins_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') begins_.push_back(i + 1);
  }
}

std::string_view SourceText::line(int number) const {
  if (number < 1 || number > lines()) return {};
  const std::size_t begin = begins_[static_cast<std::size_t>(number) - 1];
  std::string_view found = text_.substr(begin, text_.find('\n', begin) - begin);
  if (found.ends_with('\r')) found.remove_suffix(1);
  return found;
}

std::size_t SourceText::offset(int line, int column) const {
  if (line < 1) return 0;
  if (line > lines()) return text_.size();
  const std::size_t begin = begins_[static_cast<std::size_t>(line) - 1];
  return std::min(text_.size(), begin + static_cast<std::size_t>(std::max(column, 1)) - 1);
}

SourcePlace SourceText::place_at(std::size_t offset, int length) const {
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), offset);
  const auto line = static_cast<int>(after - begins_.begin());
  return {line, static_cast<int>(offset - *(after - 1)) + 1, length};
}

SourcePlace place_of_value(const SourceText& source, int line, int column) {
  const std::string_view text = source.line(line);
  const std::size_t begin = skip_properties(text, static_cast<std::size_t>(column) - 1);
  const std::size_t end = end_of_token(text, begin);
  return {line, static_cast<int>(begin) + 1, static_cast<int>(end - begin)};
}

SourcePlace place_of_alias(const SourceText& source, int line, int column) {
  const std::string_view text = source.line(line);
  const std::size_t begin = static_cast<std::size_t>(column) - 1;
  const std::size_t end = std::min(text.size(), text.find_first_of(" \t,[]{}", begin));
  return {line, column, std::max(1, static_cast<int>(end) - static_cast<int>(begin))};
}

bool quote_is_open(const SourceText& source, const SourcePlace& place) {
  const std::size_t begin = source.offset(place.line, place.column);
  const std::string_view text = source.text();
  if (begin >= text.size() || (text[begin] != '"' && text[begin] != '\'')) return false;
  return end_of_quoted(text, begin) == std::string_view::npos;
}

}  // namespace sweepd::sweepfile
