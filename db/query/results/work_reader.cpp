#include "db/query/results/work_reader.h"

#include "db/base/measured_peak.h"

namespace sweepd {

PhaseWork AttemptWork::of_phase(std::int64_t phase) const {
  for (const auto& [id, work] : phases) {
    if (id == phase) return work;
  }
  return {};
}

AttemptWork WorkReader::read(std::int64_t attempt) {
  AttemptWork result;
  std::string arithmetic;
  {
    Query work(state_.connection, "SELECT arithmetic, tokens FROM work WHERE attempt = ?");
    work.bind(attempt);
    if (!work.next()) return result;
    arithmetic = work.text(0);
    result.tokens = work.real(1);
  }
  {
    Query phases(state_.connection,
                 "SELECT phase, flops, bytes, recomputed_flops FROM phase_work WHERE attempt = ?");
    phases.bind(attempt);
    while (phases.next()) {
      result.phases.emplace_back(phases.integer(0),
                                 PhaseWork{"", phases.real(1), phases.real(2), phases.real(3)});
    }
  }
  // Ranks that share one device share its peak, so each device counts once. If one device is
  // unknown, so is the sum.
  bool flops_known = true, bytes_known = true;
  Query devices(state_.connection,
                "SELECT DISTINCT device, multiprocessors FROM attempt_device WHERE attempt = ?");
  devices.bind(attempt);
  while (devices.next()) {
    const auto multiprocessors =
        devices.is_null(1) ? std::nullopt : std::optional<std::int64_t>(devices.integer(1));
    const DevicePeak& known = peak_of_device(devices.integer(0), multiprocessors, arithmetic);
    const Peak& peak = known.peak;
    if (!known.no_flops.empty()) result.no_flops_peak = known.no_flops;
    if (!known.no_bytes.empty()) result.no_bytes_peak = known.no_bytes;
    flops_known = flops_known && peak.flops_per_s > 0;
    bytes_known = bytes_known && peak.bytes_per_s > 0;
    result.peak.flops_per_s += peak.flops_per_s;
    result.peak.bytes_per_s += peak.bytes_per_s;
    result.peak.source = peak.source;
  }
  if (!flops_known) result.peak.flops_per_s = 0;
  if (!bytes_known) result.peak.bytes_per_s = 0;
  return result;
}

const WorkReader::DevicePeak& WorkReader::peak_of_device(
    std::int64_t device, std::optional<std::int64_t> multiprocessors,
    const std::string& arithmetic) {
  const auto [entry, added] = peaks_.try_emplace({device, multiprocessors, arithmetic});
  Peak& peak = entry->second.peak;
  if (!added) return entry->second;
  {
    Query name(state_.connection, "SELECT name FROM device WHERE id = ?");
    name.bind(device);
    name.next();
    if (const auto sheet = datasheet_peak(name.text(0), arithmetic, multiprocessors)) {
      peak = *sheet;
    }
  }
  Query measured(state_.connection,
                 "SELECT " + kMeasuredPeakColumns + " FROM device_peak p WHERE p.device = ?");
  measured.bind_all(arithmetic, device);
  measured.next();
  if (peak.flops_per_s <= 0) {
    peak.flops_per_s = measured.real(0);
    peak.source = PeakSource::kMeasured;
  }
  if (peak.bytes_per_s <= 0) peak.bytes_per_s = measured.real(1);
  const auto unknown = [&](const std::string& what, const char* ruler,
                           const std::string& of) -> std::string {
    const std::string why = why_no_peak(state_.connection, device, ruler, of);
    return what + " is unknown: " +
           (why.empty() ? "`experiments/device_limits.yaml` has not measured it" : why);
  };
  if (peak.flops_per_s <= 0) {
    entry->second.no_flops = unknown("the device's peak in " + arithmetic, "matmul", arithmetic);
  }
  if (peak.bytes_per_s <= 0) {
    entry->second.no_bytes = unknown("the device's memory bandwidth", "memcpy", "");
  }
  return entry->second;
}

}  // namespace sweepd
