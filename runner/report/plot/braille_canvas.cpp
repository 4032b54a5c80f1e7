#include "runner/report/plot/braille_canvas.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace sweepd::report {

std::string braille(unsigned dots) {
  const unsigned code = 0x2800 + dots;
  std::string text;
  text += static_cast<char>(0xE0 | (code >> 12));
  text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
  text += static_cast<char>(0x80 | (code & 0x3F));
  return text;
}

bool BrailleCanvas::inside(long x, long y) const {
  return x >= 0 && y >= 0 && x < static_cast<long>(width()) && y < static_cast<long>(height());
}

std::size_t BrailleCanvas::character(long x, long y) const {
  const std::size_t row = (height() - 1 - static_cast<std::size_t>(y)) / 4;
  return row * columns_ + static_cast<std::size_t>(x) / 2;
}

void BrailleCanvas::dot(long x, long y) {
  if (!inside(x, y)) return;
  constexpr unsigned kLeft[] = {0x40, 0x04, 0x02, 0x01}, kRight[] = {0x80, 0x20, 0x10, 0x08};
  dots_[character(x, y)] |= x % 2 == 0 ? kLeft[y % 4] : kRight[y % 4];
}

void BrailleCanvas::line(long x0, long y0, long x1, long y1) {
  const long steps = std::max({std::labs(x1 - x0), std::labs(y1 - y0), 1L});
  for (long i = 0; i <= steps; ++i) {
    dot(x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps);
  }
}

void BrailleCanvas::mark(long x, long y, std::string text) {
  if (inside(x, y)) marks_[character(x, y)] = std::move(text);
}

std::string BrailleCanvas::row(std::size_t index) const {
  std::string line;
  std::size_t filled = 0;
  for (std::size_t column = 0; column < columns_; ++column) {
    const std::size_t at = index * columns_ + column;
    const bool empty = marks_[at].empty() && dots_[at] == 0;
    line += empty ? " " : marks_[at].empty() ? braille(dots_[at]) : marks_[at];
    if (!empty) filled = line.size();
  }
  return line.substr(0, filled);
}

}  // namespace sweepd::report
