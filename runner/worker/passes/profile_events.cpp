#include "runner/worker/passes/profile_events.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runner/model/vocabulary/known_metric.h"
#include "runner/worker/journal/log.h"
#include "runner/worker/passes/bounds.h"

namespace sweepd {
namespace {

// Adds the events about ranges, and what bounds the step: each pass through a range as samples
// `range_time.<range>`, whose step is its number: in a model, one layer after the other. Also adds
// softmax's share of attention's products and softmax (profile_summary.h), as the facts
// `profile.softmax_share` (forward) and `profile.softmax_share_backward`.
void add_range_events(const ProfileResult& result, KernelSource source, int rank,
                      EventWriter& events) {
  const std::string prefix(kRangeTimePrefix);
  std::map<std::int64_t, std::vector<Sample>> by_number;
  for (const RangePassage& passage : passages_of(result.recording, source)) {
    by_number[passage.number].push_back(
        {rank, passage.number, passage.phase, prefix + passage.range, passage.kernel_ns / 1e6});
  }
  for (Sample& sample : bounds_of(result.recording, result.step_ms)) {
    sample.rank = rank;
    by_number[sample.step].push_back(std::move(sample));
  }
  for (auto& [number, samples] : by_number) {
    events.add(StepEvent{number, false, std::move(samples)});
  }
  for (const auto& [phase, fact] : {std::pair{"forward", "profile.softmax_share"},
                                    {"backward", "profile.softmax_share_backward"}}) {
    const auto share = softmax_share(result.summary.kernels, phase);
    if (share) events.add(FactEvent{fact, *share, ""});
  }
}

}  // namespace

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
