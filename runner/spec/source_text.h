// The text of a sweep file, found by line and column. Positions are those of yaml-cpp plus one: the
// first line is 1, and a column counts bytes of UTF-8, also from 1.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace sweepd::spec {

// A piece of one line, as a diagnostic underlines it.
struct Place {
  int line = 0;
  int column = 0;
  int length = 1;
};

// Does not own the text.
class SourceText {
 public:
  explicit SourceText(std::string_view text);

  std::string_view text() const { return text_; }
  int lines() const { return static_cast<int>(begins_.size()); }
  std::string_view line(int number) const;         // without its end; "" outside the file
  std::size_t offset(int line, int column) const;  // clamped into the text
  Place place_at(std::size_t offset, int length) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> begins_;
};

// Where the value that yaml-cpp marked at (line, column) really stands: behind its anchor and tag,
// and as long as the token is on its first line.
Place place_of_value(const SourceText& source, int line, int column);
Place place_of_alias(const SourceText& source, int line, int column);

// A quoted scalar that begins at the place and never ends. yaml-cpp 0.7 takes the rest of the file
// as its value without a word.
bool quote_is_open(const SourceText& source, const Place& place);

}  // namespace sweepd::spec
