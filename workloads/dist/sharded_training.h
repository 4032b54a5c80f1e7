// The language model with its optimizer's state sharded over the ranks, which `sharded_optimizer`
// times.
#pragma once

#include <optional>
#include <vector>

#include "workloads/dist/exposed_clock.h"
#include "workloads/dist/params.h"
#include "workloads/dist/sharded_update.h"
#include "workloads/nn/training.h"

namespace sweepd {

struct ShardedOptimizerParams : DistributedParams {
  bool sharded = true;
  double bucket_mb = 25;

  void visit(auto& field) {
    visit_common(field);
    field("sharded", sharded,
          "whether each rank keeps AdamW's state only for its part of the parameters");
    field("bucket_mb", bucket_mb,
          "largest part of the gradients that is sent at a time, in 1,000,000 bytes",
          at_least(0.001), at_most(1e6));
  }
};

// The bytes that a rank holds by formula, without the few tensors of the batch.
struct ShardedMemory {
  double after_init = 0;   // weights, AdamW's state or a rank's share of it, the gradients' buffer
  double before_step = 0;  // including gradients
  double after_step = 0;
  double bucket_buffer = 0;  // part of each of them
};
ShardedMemory sharded_memory(const ShardedOptimizerParams& params, std::int64_t world_size);

class ShardedTraining {
 public:
  // `collectives` and `device` must outlive this object.
  ShardedTraining(const ShardedOptimizerParams& params, const RunParams& run,
                  Collectives& collectives, Device& device);

  // Phases forward, backward, communication (gradients), optimizer, and communication again (the
  // weights, if sharded).
  void step(Phases& phases);
  void tell(Samples& samples);  // of the last step, while the device is idle; collective
  void tell(Facts& facts);      // after the last step; collective
  std::vector<HeldTensor> state() const;

 private:
  Collectives& collectives_;
  Training training_;
  ShardedUpdate update_;
  ExposedClock clock_;
};

}  // namespace sweepd
