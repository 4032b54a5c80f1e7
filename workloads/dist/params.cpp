#include "workloads/dist/params.h"

namespace sweepd {

WorkPerStep distributed_work(const DistributedParams& params, const RunParams& run) {
  WorkPerStep work = work_of(params.lm, run);
  const auto ranks = static_cast<double>(run.world_size);
  work.tokens *= ranks;
  for (PhaseWork& phase : work.phases) {
    phase.flops *= ranks;
    phase.bytes *= ranks;
    phase.recomputed_flops *= ranks;
  }
  return work;
}

double weight_bytes_of(const DistributedParams& params) {
  return static_cast<double>(weight_bytes(precision_from(params.lm.precision))) *
         static_cast<double>(shape_of(params.lm).parameters());
}

}  // namespace sweepd
