#include "db/query/details/kernel_work.h"

namespace sweepd {

void KernelWork::add(const Query& row, int column) {
  known = known && !row.is_null(column + 1);
  if (!known) return;
  flops += row.maybe_real(column).value_or(0);
  bytes += row.real(column + 1);
  if (arithmetic.empty()) arithmetic = row.text(column + 2);
}

KernelRoofline::KernelRoofline(Connection& connection, std::int64_t attempt, std::int64_t rank) {
  Query query(connection,
              "SELECT d.name, a.multiprocessors FROM attempt_device a "
              "JOIN device d ON d.id = a.device WHERE a.attempt = ? AND a.rank = ?");
  query.bind_all(attempt, rank);
  if (!query.next()) return;
  device_ = query.text(0);
  multiprocessors_ = query.maybe_integer(1);
}

std::optional<RooflineShare> KernelRoofline::share_of(const KernelWork& work, double ns) const {
  if (!work.known) return std::nullopt;
  const auto peak = datasheet_peak(device_, work.arithmetic, multiprocessors_);
  if (!peak) return std::nullopt;
  return roofline_share(work.flops, work.bytes, ns / 1e9, *peak);
}

}  // namespace sweepd
