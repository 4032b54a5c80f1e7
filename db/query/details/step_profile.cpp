// Reads what `explain` needs of a profile pass.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "db/query/details/kernel_work.h"
#include "db/query/state.h"
#include "runner/model/vocabulary/known_metric.h"

namespace sweepd {
namespace {

// A step has some thousand rows at most; those behind these take no time.
constexpr std::int64_t kMostKernels = 2000;

void read_kernels(Connection& connection, std::int64_t attempt, int rank, StepProfile& profile) {
  Query query(
      connection,
      "SELECT s.text, c.text, k.grid_x, k.grid_y, k.grid_z, k.block_x, k.block_y, k.block_z, "
      "sum(k.calls), sum(k.total_ns), sum(k.median_ns * k.calls) / sum(k.calls), "
      "max(k.occupancy), max(k.waves), sum(k.flops), "
      "iif(count(k.bytes) = count(*), sum(k.bytes), NULL), max(k.arithmetic) "
      "FROM kernel k JOIN name s ON s.id = k.short_name "
      "JOIN name c ON c.id = k.class WHERE k.attempt = ? AND k.rank = ? AND k.calls > 0 "
      "GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY 10 DESC, 1 LIMIT ?");
  query.bind_all(attempt, rank, kMostKernels);
  const KernelRoofline roofline(connection, attempt, rank);
  while (query.next()) {
    KernelWork work;
    work.add(query, 13);
    profile.kernels.push_back({query.text(0),
                               query.text(1),
                               {query.integer(2), query.integer(3), query.integer(4)},
                               {query.integer(5), query.integer(6), query.integer(7)},
                               query.integer(8),
                               query.real(9),
                               query.real(10),
                               query.maybe_real(11),
                               query.maybe_real(12),
                               roofline.share_of(work, query.real(9))});
  }
}

// A device is a `step` of these samples (runner/model/vocabulary/known_metric.h). What has one
// value has it at step 0.
void read_metrics(Connection& connection, std::int64_t attempt, int rank, StepProfile& profile) {
  Query query(
      connection,
      "SELECT m.text, s.step, s.value FROM sample s JOIN name m ON m.id = s.metric "
      "JOIN name p ON p.id = s.phase WHERE s.attempt = ? AND s.rank = ? AND "
      "p.text = 'step' AND m.text NOT LIKE 'range_time.%' AND m.text <> 'traced_step_time'");
  query.bind_all(attempt, rank);
  std::map<std::int64_t, std::map<std::string, double>> devices;
  while (query.next()) {
    if (!query.is_null(2)) devices[query.integer(1)][query.text(0)] = query.real(2);
  }
  const auto busy = [](const auto& device) {
    const auto found = device.second.find("device_busy_time");
    return found == device.second.end() ? -1.0 : found->second;
  };
  const auto busiest = std::ranges::max_element(devices, {}, busy);
  if (busiest == devices.end()) return;
  profile.metrics = {devices[0].begin(), devices[0].end()};
  for (const auto& [name, value] : busiest->second) profile.metrics.insert_or_assign(name, value);
}

void read_facts(Connection& connection, std::int64_t attempt, int rank, StepProfile& profile) {
  Query query(connection,
              "SELECT n.text, f.number FROM fact f JOIN name n ON n.id = f.name "
              "WHERE f.attempt = ? AND f.rank = ?");
  query.bind_all(attempt, rank);
  while (query.next()) {
    if (!query.is_null(1)) profile.facts[query.text(0)] = query.real(1);
  }
}

void read_device(Connection& connection, std::int64_t attempt, int rank, StepProfile& profile) {
  Query query(connection,
              "SELECT d.name, d.kind, a.multiprocessors FROM attempt_device a "
              "JOIN device d ON d.id = a.device WHERE a.attempt = ? AND a.rank = ?");
  query.bind_all(attempt, rank);
  if (!query.next()) return;
  profile.device = query.text(0);
  profile.on_gpu = query.text(1) == "cuda";
  profile.multiprocessors = query.maybe_integer(2).value_or(0);
}

void read_clocks(Connection& connection, std::int64_t attempt, int rank, StepProfile& profile) {
  Query timing(connection,
               "SELECT t.row FROM attempt a JOIN attempt t ON t.trial = a.trial AND "
               "t.host = a.host WHERE a.row = ? AND t.pass = 'timing' AND t.outcome = 'done' "
               "ORDER BY t.row DESC LIMIT 1");
  timing.bind_all(attempt);
  if (!timing.next()) return;
  const std::int64_t row = timing.integer(0);
  Query clocks(connection,
               "SELECT s.value FROM sample s JOIN name m ON m.id = s.metric "
               "WHERE s.attempt = ? AND s.rank = ? AND s.warmup = 0 AND m.text = ? "
               "ORDER BY s.step");
  clocks.bind_all(row, rank, kDeviceClock);
  while (clocks.next()) {
    if (!clocks.is_null(0)) profile.clocks_mhz.push_back(clocks.real(0));
  }
  Query state(connection,
              "SELECT throttle_reasons FROM device_state WHERE attempt = ? AND rank = ? AND "
              "moment = 'after'");
  state.bind_all(row, rank);
  if (state.next()) profile.throttle_reasons = state.text(0);
}

// The rows add up the steps of a trace.
void make_of_one_step(StepProfile& profile) {
  const double steps = profile.fact("profile.steps").value_or(1);
  if (steps <= 1) return;
  for (StepProfile::Kernel& kernel : profile.kernels) {
    kernel.calls =
        std::max<std::int64_t>(1, std::llround(static_cast<double>(kernel.calls) / steps));
    kernel.total_ns /= steps;
  }
}

}  // namespace

Result<StepProfile> Reader::step_profile(std::int64_t row, int rank) {
  return state_->ask("reading a profile", [&]() -> Result<StepProfile> {
    Connection& connection = state_->connection;
    StepProfile profile;
    read_kernels(connection, row, rank, profile);
    if (profile.kernels.empty()) {
      return Error{ErrorCode::kNotFound,
                   fmt::format("the attempt has no kernels of rank {}, and no operators", rank)};
    }
    read_metrics(connection, row, rank, profile);
    read_facts(connection, row, rank, profile);
    make_of_one_step(profile);
    read_device(connection, row, rank, profile);
    read_clocks(connection, row, rank, profile);
    profile.step_ms = profile.fact("profile.step_ms").value_or(0);
    return profile;
  });
}

}  // namespace sweepd
