#include "runner/worker/range_events.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runner/model/known_metric.h"

namespace sweepd {

void add_range_events(const ProfileResult& result, KernelSource source, int rank,
                      EventWriter& events) {
  const std::string prefix(kRangeTimePrefix);
  std::map<std::int64_t, std::vector<Sample>> by_number;
  for (const RangePassage& passage : passages_of(result.recording, source)) {
    by_number[passage.number].push_back(
        {rank, passage.number, passage.phase, prefix + passage.range, passage.kernel_ns / 1e6});
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

}  // namespace sweepd
