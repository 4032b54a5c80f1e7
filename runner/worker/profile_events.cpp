#include "runner/worker/profile_events.h"

#include <utility>

#include "runner/worker/log.h"
#include "runner/worker/range_events.h"

namespace sweepd {

void add_profile_events(ProfileResult result, KernelSource source, int rank, EventWriter& events) {
  log_line("profiled a step of {:.3f} ms, {:.3f} ms of it in kernels", result.step_ms,
           result.kernel_ms);
  add_range_events(result, source, rank, events);
  for (KernelStats& kernel : result.summary.kernels) events.add(KernelEvent{std::move(kernel)});
  for (OperatorStats& op : result.summary.operators) events.add(OperatorEvent{std::move(op)});
  events.add(FactEvent{"profile.step_ms", result.step_ms, ""});
  events.add(FactEvent{"profile.kernel_ms", result.kernel_ms, ""});
  events.add(FactEvent{"profile.dropped_records", static_cast<double>(result.dropped_records), ""});
  events.add(
      FactEvent{"profile.differing_kernels", static_cast<double>(result.differing_kernels), ""});
}

}  // namespace sweepd
