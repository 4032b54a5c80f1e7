// What is wrong with a table of a sweep file, and at which of its keys, so that a message can point
// there.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace sweepd {

struct TableMistake {
  std::string key;                   // "rows", "cell", "unit" ...
  std::optional<std::size_t> value;  // of this one of the table's `values`; else of the table
  std::string message;               // complete: it names the key and what was expected
};

}  // namespace sweepd
