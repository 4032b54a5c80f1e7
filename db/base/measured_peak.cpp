#include "db/base/measured_peak.h"

#include <fmt/format.h>

namespace sweepd {

std::string why_no_peak(Connection& connection, std::int64_t device, std::string_view ruler,
                        std::string_view arithmetic) {
  Query query(connection,
              "SELECT a.verdict, count(*) OVER (), coalesce((SELECT r.reason FROM attempt_reason r "
              "WHERE r.attempt = a.row ORDER BY r.position LIMIT 1), '') FROM attempt a "
              "JOIN trial t ON t.id = a.trial JOIN work w ON w.attempt = a.row "
              "WHERE t.workload = ?1 AND a.pass = 'timing' AND a.outcome = 'done' "
              "AND (?2 = '' OR w.arithmetic = ?2) AND EXISTS (SELECT 1 FROM attempt_device x "
              "WHERE x.attempt = a.row AND x.device = ?3) ORDER BY a.row DESC LIMIT 1");
  query.bind_all(std::string(ruler), std::string(arithmetic), device);
  if (!query.next()) return "";
  const std::int64_t runs = query.integer(1);
  const std::string which = runs == 1 ? fmt::format("the only run of {}", ruler)
                                      : fmt::format("the last of {} runs of {}", runs, ruler);
  const std::string verdict = query.text(0), reason = query.text(2);
  if (verdict == "valid") return which + " was too small to measure it";
  return fmt::format("{} was {}{}{}", which, verdict, reason.empty() ? "" : ": ", reason);
}

}  // namespace sweepd
