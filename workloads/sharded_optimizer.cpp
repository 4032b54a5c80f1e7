// Data parallel training with the optimizer state sharded over the ranks, compared with the same
// without sharding: step time, and memory per rank in the memory pass. The step is in
// workloads/dist/sharded_training.h.

#include "workloads/api/workload.h"
#include "workloads/dist/ranks_workload.h"
#include "workloads/dist/sharded_training.h"
#include "workloads/torch/collectives.h"

namespace sweepd {
namespace {

class ShardedOptimizer final : public RanksWorkload<ShardedOptimizerParams, ShardedTraining> {
 public:
  using Params = ShardedOptimizerParams;
  static constexpr std::string_view kHelp =
      "Data parallel training with AdamW's state sharded over the ranks (ZeRO stage 1) or not: "
      "forward, backward, communication and optimizer as phases";
  static constexpr int kVersion = 2;
  static constexpr std::string_view kPhases[] = {"forward", "backward", "communication",
                                                 "optimizer"};

  static WorkPerStep work(const Params& params, const RunParams& run) {
    WorkPerStep work = distributed_work(params, run);
    const ShardedMemory memory = sharded_memory(params, run.world_size);
    const bool on = params.sharded;
    const auto n = static_cast<double>(run.world_size);
    work.figures.push_back({"after_init_bytes", memory.after_init,
                            on ? "w P + 2 w P / N + the largest bucket of gradients" : "3 w P"});
    work.figures.push_back({"bucket_buffer_bytes", memory.bucket_buffer,
                            on ? "the largest bucket of gradients, which is sent from a buffer"
                               : "0: gradients are sent where they are"});
    work.figures.push_back({"before_step_bytes", memory.before_step,
                            on ? "2 w P + 2 w P / N + the largest bucket" : "4 w P"});
    work.figures.push_back({"after_step_bytes", memory.after_step,
                            on ? "w P + 2 w P / N + the largest bucket" : "3 w P"});
    work.figures.push_back({"sent_bytes", 2 * (n - 1) / n * weight_bytes_of(params),
                            "2 w P (N-1)/N, sharded or not: an all-reduce is a reduce-scatter and "
                            "an all-gather"});
    return work;
  }

  using RanksWorkload::RanksWorkload;
};

REGISTER_WORKLOAD("sharded_optimizer", ShardedOptimizer);

}  // namespace
}  // namespace sweepd
