#include "db/base/held.h"

#include <fmt/format.h>

namespace sweepd {

std::string is_held(std::string_view attempt, std::string_view but) {
  return fmt::format(
      "coalesce((SELECT min(hs.paused_ns IS NOT NULL) FROM sweep_attempt ha JOIN sweep hs ON hs.id "
      "= ha.sweep WHERE ha.attempt = {}.row AND hs.cancelled_ns IS NULL AND hs.id <> {}), 0)",
      attempt, but);
}

bool any_paused(Connection& connection) {
  return Query(connection, "SELECT 1 FROM sweep WHERE paused_ns IS NOT NULL LIMIT 1").next();
}

}  // namespace sweepd
