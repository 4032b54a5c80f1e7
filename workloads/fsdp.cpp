// Fully sharded data parallel training of the language model: weights, gradients and optimizer
// state are divided among the ranks, and complete only while a unit computes. See
// workloads/dist/fully_sharded.h.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "workloads/api/workload.h"
#include "workloads/dist/fsdp_training.h"
#include "workloads/dist/ranks_workload.h"
#include "workloads/torch/collectives.h"

namespace sweepd {
namespace {

std::vector<Figure> fsdp_figures(const FsdpParams& params, const RunParams& run) {
  const ModelShape shape = shape_of(params.lm);
  const auto n = static_cast<double>(run.world_size);
  const double all = weight_bytes_of(params);
  const double weight = all / static_cast<double>(shape.parameters());
  const auto d = static_cast<double>(shape.d_model), d_ff = static_cast<double>(shape.d_ff);
  const double embedding = weight * static_cast<double>(shape.vocab) * d;
  const double block = weight * (4 * d * d + 3 * d * d_ff + 2 * d);
  return {
      {"after_init_bytes", 3 * all / n, "3 w P / N: a part of the weights and both moments"},
      {"largest_unit_bytes", std::max(block, embedding + weight * d),
       "of a block, or of the last norm and the head: what is gathered at a time"},
      // The embedding's backward needs no weights, and the head is not freed before its own.
      {"sent_bytes", (3 * all - 2 * embedding - weight * d) * (n - 1) / n,
       "w (3P - 2Vd - d)(N-1)/N: two gathers of each block, one of embedding and head, and the "
       "gradients"},
  };
}

class Fsdp final : public RanksWorkload<FsdpParams, FsdpTraining> {
 public:
  using Params = FsdpParams;
  static constexpr std::string_view kHelp =
      "Fully sharded data parallel training (ZeRO stage 3): units gathered ahead of use and freed "
      "after, gradients reduce-scattered; forward, backward and optimizer as phases";
  static constexpr int kVersion = 2;
  static constexpr std::string_view kPhases[] = {"forward", "backward", "optimizer"};

  static WorkPerStep work(const Params& params, const RunParams& run) {
    WorkPerStep work = distributed_work(params, run);
    for (Figure& figure : fsdp_figures(params, run)) work.figures.push_back(std::move(figure));
    return work;
  }

  using RanksWorkload::RanksWorkload;
};

REGISTER_WORKLOAD("fsdp", Fsdp);

}  // namespace
}  // namespace sweepd
