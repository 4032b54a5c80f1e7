// The text of a sweep file, addressed by line and column. Positions are those of yaml-cpp plus one:
// the first line is 1, and a column counts bytes of UTF-8 from 1.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace sweepd::sweepfile {

// A piece of one line that a diagnostic underlines.
struct SourcePlace {
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
  std::string_view line(int number) const;         // without its line end; "" outside the file
  std::size_t offset(int line, int column) const;  // clamped to the text
  SourcePlace place_at(std::size_t offset, int length) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> begins_;
};

// Returns where the value that yaml-cpp marked at (line, column) really is: after its anchor and
// tag, with the length of the token on its first line.
SourcePlace place_of_value(const SourceText& source, int line, int column);
SourcePlace place_of_alias(const SourceText& source, int line, int column);

// Whether a quoted scalar begins at the place and never ends. yaml-cpp 0.7 then silently uses the
// rest of the file as its value.
bool quote_is_open(const SourceText& source, const SourcePlace& place);

}  // namespace sweepd::sweepfile
