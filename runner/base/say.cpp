#include "runner/base/say.h"

#include <unistd.h>

namespace sweepd {

void print_data(std::FILE* to, std::string_view text) {
  if (::isatty(::fileno(to)) == 0) return print_exactly(to, text);
  print_exactly(to, printable_lines(text));
}

}  // namespace sweepd
