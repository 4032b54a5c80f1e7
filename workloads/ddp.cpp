// Data parallel training of the language model: lm_step on every rank with its own sequences, and
// gradients averaged over the ranks. The step is in workloads/dist/data_parallel.h, the strategies
// in workloads/dist/gradient_average.h.

#include "workloads/api/workload.h"
#include "workloads/dist/data_parallel.h"
#include "workloads/dist/ranks_workload.h"
#include "workloads/torch/collectives.h"

namespace sweepd {
namespace {

class Ddp final : public RanksWorkload<DdpParams, DataParallel> {
 public:
  using Params = DdpParams;
  static constexpr std::string_view kHelp =
      "Data parallel training of a language model: forward, backward, communication left after the "
      "backward, and AdamW as phases";
  static constexpr int kVersion = 2;
  static constexpr std::string_view kPhases[] = {"forward", "backward", "communication",
                                                 "optimizer"};

  static WorkPerStep work(const Params& params, const RunParams& run) {
    WorkPerStep work = distributed_work(params, run);
    const auto n = static_cast<double>(run.world_size);
    work.figures.push_back(
        {"sent_bytes", 2 * (n - 1) / n * weight_bytes_of(params),
         "2 w P (N-1)/N: bytes that one of N ranks sends in an all-reduce of gradients"});
    return work;
  }

  using RanksWorkload::RanksWorkload;
};

REGISTER_WORKLOAD("ddp", Ddp);

}  // namespace
}  // namespace sweepd
