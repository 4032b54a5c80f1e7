// The language model under data parallelism, step by step, which `ddp` times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/dist/exposed_clock.h"
#include "workloads/dist/gradient_average.h"
#include "workloads/dist/params.h"
#include "workloads/nn/training.h"

namespace sweepd {

struct DdpParams : DistributedParams {
  std::string strategy = "overlap";
  double bucket_mb = 25;

  void visit(auto& field) {
    visit_common(field);
    field("strategy", strategy,
          "when gradients are averaged; naive: one by one after the backward; flat: as one buffer "
          "after it; overlap: one by one within it; bucketed: in buckets within it",
          one_of({"naive", "flat", "overlap", "bucketed"}), Matters());
    field("bucket_mb", bucket_mb, "bucketed: largest size of a bucket, in 1,000,000 bytes",
          at_least(0.001), at_most(1e6));
  }
};

class DataParallel {
 public:
  // Every rank begins with the weights of rank 0. `collectives` and `device` must outlive this
  // object.
  DataParallel(const DdpParams& params, const RunParams& run, Collectives& collectives,
               Device& device);

  // Phases forward, backward, communication (what remains of it after the backward has ended) and
  // optimizer.
  void step(Phases& phases);
  void tell(Samples& samples);  // of the last step, while the device is idle; collective
  void tell(Facts& facts);      // after the last step; collective
  std::vector<HeldTensor> state() const;

  Training& training() { return training_; }
  GradientAverage& gradients() { return gradients_; }

 private:
  void tell_fit(Facts& facts) const;

  Collectives& collectives_;
  std::int64_t warmup_;
  Training training_;
  GradientAverage gradients_;
  ExposedClock clock_;
  std::int64_t steps_ = 0;
  std::vector<std::vector<double>> bucket_ms_;  // by bucket: times in every measured step
};

}  // namespace sweepd
