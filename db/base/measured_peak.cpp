#include "db/base/measured_peak.h"

#include <fmt/format.h>

#include <bit>

#include "runner/base/units.h"
#include "runner/model/machine/peaks.h"

namespace sweepd {
namespace {

// The size that the valid runs of a ruler lack.
std::string too_small(Connection& connection, std::int64_t device, std::string_view ruler) {
  Query query(connection,
              "SELECT d.kind = 'cpu', h.cache_bytes FROM device d JOIN host h ON h.id = d.host "
              "WHERE d.id = ?");
  query.bind(device);
  query.next();
  const RulerSize least = least_ruler(query.integer(0) != 0, Bytes{query.integer(1)});
  if (ruler == "matmul") {
    return fmt::format("no valid product has {0} rows or more: measure {1} with `size: {0}`",
                       least.product_rows, ruler);
  }
  if (least.buffers.value == 0) {
    return fmt::format("no valid copy is of {0} or more: measure {1} with `bytes: {0}`",
                       to_text(least.copy), ruler);
  }
  const auto next =
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(least.buffers.value)));
  return fmt::format(
      "no valid copy of {} or more cycles through four times the last-level cache ({}): measure {} "
      "with `working_set: {}`",
      to_text(least.copy), to_text(least.buffers), ruler, to_text(Bytes{next}));
}

}  // namespace

std::string why_no_peak(Connection& connection, std::int64_t device, std::string_view ruler,
                        std::string_view arithmetic) {
  Query query(connection,
              "SELECT a.verdict, count(*) OVER (), count(*) FILTER (WHERE a.verdict = 'valid') "
              "OVER (), count(*) FILTER (WHERE a.verdict = 'suspect') OVER (), coalesce((SELECT "
              "r.reason FROM attempt_reason r WHERE r.attempt = a.row ORDER BY r.position LIMIT "
              "1), '') FROM attempt a "
              "JOIN trial t ON t.id = a.trial JOIN work w ON w.attempt = a.row "
              "WHERE t.workload = ?1 AND a.pass = 'timing' AND a.outcome = 'done' "
              "AND (?2 = '' OR w.arithmetic = ?2) AND EXISTS (SELECT 1 FROM attempt_device x "
              "WHERE x.attempt = a.row AND x.device = ?3) ORDER BY a.row DESC LIMIT 1");
  query.bind_all(std::string(ruler), std::string(arithmetic), device);
  if (!query.next()) return "";
  const std::int64_t runs = query.integer(1), valid = query.integer(2), suspect = query.integer(3);
  if (valid > 0) return too_small(connection, device, ruler);
  const std::string verdict = query.text(0), reason = query.text(4);
  if (runs == 1) {
    return fmt::format("the only run of {} was {}{}{}", ruler, verdict, reason.empty() ? "" : ": ",
                       reason);
  }
  const char* words = suspect == runs ? "suspect" : suspect == 0 ? "invalid" : "suspect or invalid";
  return fmt::format("all {} runs of {} were {}{}{}", runs, ruler, words,
                     reason.empty() ? "" : ", the last because ", reason);
}

}  // namespace sweepd
