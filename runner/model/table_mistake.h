// A mistake in a table of a sweep file, with the key where it is, so that a message can point
// there.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace sweepd {

struct TableMistake {
  std::string key;                   // "rows", "cell", "unit" ...
  std::optional<std::size_t> value;  // index into the table's `values`; empty: the table itself
  std::string message;               // complete: names the key and the expected form
};

}  // namespace sweepd
