// Shared by `ddp`, `sharded_optimizer` and `fsdp`: the language model's parameters and the backend
// of the ranks' messages. Includes no torch header.
#pragma once

#include <string>

#include "runner/model/measurement/work.h"
#include "runner/model/sweep/run_params.h"
#include "workloads/nn/lm_params.h"

namespace sweepd {

struct DistributedParams {
  LmStepParams lm;
  std::string backend = "gloo";

  void visit_common(auto& field) {
    lm.visit_model(field);
    lm.visit_update(field);
    field("backend", backend, "the backend that moves the data between ranks",
          one_of({"gloo", "shm", "nccl"}), Matters());
  }
};

// The work of lm_step, for all ranks together: every rank has `batch` its own sequences.
WorkPerStep distributed_work(const DistributedParams& params, const RunParams& run);

// Bytes of all parameters as a step stores them, w P.
double weight_bytes_of(const DistributedParams& params);

}  // namespace sweepd
