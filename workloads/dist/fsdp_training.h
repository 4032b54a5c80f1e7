// The language model, fully sharded over the ranks, which `fsdp` times.
#pragma once

#include <vector>

#include "workloads/dist/exposed_clock.h"
#include "workloads/dist/fully_sharded.h"
#include "workloads/dist/params.h"
#include "workloads/nn/training.h"

namespace sweepd {

struct FsdpParams : DistributedParams {
  bool overlap = true;

  void visit(auto& field) {
    visit_common(field);
    field("overlap", overlap,
          "whether, while one unit computes, the next is gathered and the previous one's gradients "
          "are sent");
  }
};

class FsdpTraining {
 public:
  // Throws Unavailable for a precision that uses autocast, whose casts would keep a copy of every
  // weight from the forward to the backward. `collectives` and `device` must outlive this object.
  FsdpTraining(const FsdpParams& params, const RunParams& run, Collectives& collectives,
               Device& device);

  void step(Phases& phases);    // forward, backward, optimizer; both first communicate
  void tell(Samples& samples);  // of the last step, while the device is idle; collective
  void tell(Facts& facts);      // after the last step; collective
  std::vector<HeldTensor> state() const;

  FullySharded& sharded() { return sharded_; }
  const Training& training() const { return training_; }

 private:
  Collectives& collectives_;
  ExposedClock clock_;
  FullySharded sharded_;
  Training training_;
};

}  // namespace sweepd
