// What `ddp`, `sharded_optimizer` and `fsdp` have in common: the language model's parameters and
// what carries the ranks' messages. No torch header.
#pragma once

#include <string>

#include "runner/model/run_params.h"
#include "runner/model/work.h"
#include "workloads/nn/lm_params.h"

namespace sweepd {

struct DistributedParams {
  LmStepParams lm;
  std::string backend = "gloo";

  void visit_common(auto& field) {
    lm.visit_model(field);
    lm.visit_update(field);
    field("backend", backend, "what moves the data between ranks", one_of({"gloo", "shm", "nccl"}));
  }
};

// lm_step's, of all ranks together: every rank has `batch` sequences of its own.
WorkPerStep distributed_work(const DistributedParams& params, const RunParams& run);

// Bytes of all parameters as a step holds them, w P.
double weight_bytes_of(const DistributedParams& params);

}  // namespace sweepd
