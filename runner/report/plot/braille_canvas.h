// A drawing in braille: each character has two columns and four rows of dots.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sweepd::report {

// U+2800 to U+28FF as UTF-8: one bit a dot.
std::string braille(unsigned dots);

class BrailleCanvas {
 public:
  BrailleCanvas(std::size_t columns, std::size_t rows)
      : columns_(columns), dots_(columns * rows), marks_(columns * rows) {}

  std::size_t width() const { return 2 * columns_; }  // in dots
  std::size_t height() const { return 4 * dots_.size() / columns_; }

  // Coordinates are dots, from the lower left corner; dots outside of the canvas are skipped.
  void dot(long x, long y);
  void line(long x0, long y0, long x1, long y1);
  // A character of one column in place of the dots around that one.
  void mark(long x, long y, std::string character);

  // One row of characters, from the top, without spaces at its end.
  std::string row(std::size_t index) const;

 private:
  bool inside(long x, long y) const;
  std::size_t character(long x, long y) const;

  std::size_t columns_;
  std::vector<unsigned> dots_;
  std::vector<std::string> marks_;
};

}  // namespace sweepd::report
