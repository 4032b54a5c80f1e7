// Which attempt of a point counts: of one trial, pass, repeat and host, one that is done, else one
// that is open, else the one that ended last.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace sweepd {

// For ORDER BY, the one that counts first. `attempt` is the table's name in the statement.
inline std::string the_one_that_counts_first(std::string_view attempt) {
  return fmt::format(
      "{0}.outcome = 'done' IS TRUE DESC, {0}.ended_ns IS NULL DESC, "
      "{0}.ended_ns DESC, {0}.row DESC",
      attempt);
}

}  // namespace sweepd
