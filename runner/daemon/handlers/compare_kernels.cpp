// `sweepctl compare A B --kernels`
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "runner/base/text.h"
#include "runner/daemon/handlers/comparing.h"
#include "runner/daemon/handlers/make_table.h"
#include "runner/report/compare/kernel_comparison.h"

namespace sweepd {
namespace {

// Filters of kernels instead of attempts.
constexpr std::array<std::string_view, 8> kOfKernels{"phase", "rank",  "metric", "kernel",
                                                     "class", "range", "grid",   "block"};

// The first filter is the phase.
std::string phase_of(const QuerySpec& query) {
  const std::string& phase = query.table.where.front().values.front();
  return phase == "step" ? "" : phase;
}

Result<void> check_filters(const SideDatabase& database, QuerySpec query) {
  const auto def = workload_of(database.reader(), database.catalog(), query);
  if (!def) return def.error();
  for (std::size_t i = 1; i < query.table.where.size(); ++i) {
    const TableSpec::Filter& filter = query.table.where[i];
    if ((*def)->index_of(filter.name) || std::ranges::count(kOfKernels, filter.name) == 0) continue;
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`{}={}`: all kernels of a step are compared, or those of --phase; "
                             "expected a parameter, host or device_name",
                             filter.name, join(filter.values, ","))};
  }
  return {};
}

Result<ProfiledSide> read_profiles(const SideDatabase& database, const std::string& name,
                                   const QuerySpec& query, const std::string& asked) {
  if (const auto fit = check_filters(database, query); !fit) return fit.error();
  auto read = read_side(database.reader(), name, query, asked);
  if (!read) return read.error();
  const std::string phase = phase_of(query);
  auto side = choose_profiles(std::move(*read), phase);
  if (!side) return side.error();
  for (const ResultRow& row : side->side.results.rows) {
    const auto attempt = database.reader().find_attempt(row.attempt);
    if (!attempt) return attempt.error();
    auto profile = database.reader().step_kernels(attempt->row, phase);
    if (!profile) return profile.error();
    side->profiles.push_back(std::move(*profile));
  }
  return side;
}

}  // namespace

Result<rpc::Compare::Reply> compare_profiles(const SideDatabase& of_a, const SideDatabase& of_b,
                                             const Sides& sides, double tolerance) {
  const auto a = read_profiles(of_a, sides.name_a, sides.a, sides.asked);
  if (!a) return a.error();
  const auto b = read_profiles(of_b, sides.name_b, sides.b, sides.asked);
  if (!b) return b.error();
  const auto compared = compare_kernels(*a, *b);
  if (!compared) return compared.error();
  rpc::Compare::Reply reply;
  for (const KernelDifference& kernel : compared->kernels) {
    const std::string_view change = change_of(kernel, tolerance);
    const bool less = change == "faster" || change == "vanished";
    ++(change == "same" ? reply.same : less ? reply.faster : reply.slower);
  }
  reply.table = kernel_comparison_table(*compared, *a, *b, tolerance);
  if (const auto added = caption_both(of_a, of_b, sides, reply.table); !added) {
    return added.error();
  }
  return reply;
}

}  // namespace sweepd
