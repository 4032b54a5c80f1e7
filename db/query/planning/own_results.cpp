#include "db/query/planning/own_results.h"

#include <fmt/format.h>

namespace sweepd {

std::string is_of_sweep(std::string_view attempt, std::string_view sweep) {
  return fmt::format(
      "EXISTS (SELECT 1 FROM sweep_attempt link WHERE link.sweep = {1} AND link.attempt = {0}.row)",
      attempt, sweep);
}

std::string is_older_result(std::string_view older, std::string_view own) {
  return fmt::format(
      "{0}.trial = {1}.trial AND {0}.pass = {1}.pass AND {0}.repeat = {1}.repeat AND {0}.host = "
      "{1}.host AND {0}.outcome = 'done' AND ({1}.ended_ns IS NULL OR {0}.ended_ns <= "
      "{1}.ended_ns)",
      older, own);
}

std::string has_another(std::string_view own) {
  return fmt::format("({0}.outcome IS NOT 'done' AND {0}.is_current = 0)", own);
}

std::string row_instead_of(std::string_view own) {
  return fmt::format(
      "coalesce((SELECT older.row FROM attempt older WHERE {} ORDER BY older.ended_ns DESC, "
      "older.row DESC LIMIT 1), {}.row)",
      is_older_result("older", own), own);
}

std::string counts_for_sweep(std::string_view attempt, std::string_view sweep) {
  // The first half is one lookup and decides nearly all of them.
  const std::string own = fmt::format("{}_own", attempt);
  return fmt::format(
      "((NOT {5} AND {1}) OR EXISTS (SELECT 1 FROM attempt {2} WHERE {2}.trial = {0}.trial AND "
      "{2}.pass = {0}.pass AND {2}.repeat = {0}.repeat AND {2}.host = {0}.host AND {6} AND {3} AND "
      "{0}.row = {4}))",
      attempt, is_of_sweep(attempt, sweep), own, is_of_sweep(own, sweep), row_instead_of(own),
      has_another(attempt), has_another(own));
}

}  // namespace sweepd
