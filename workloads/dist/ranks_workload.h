// A workload whose ranks train one model together. `Training` runs the step and reports its
// figures.
#pragma once

#include <memory>
#include <vector>

#include "workloads/api/workload.h"
#include "workloads/torch/collectives.h"

namespace sweepd {

template <class Params, class Training>
class RanksWorkload : public Workload {
 public:
  RanksWorkload(const Params& params, Context& context)
      : collectives_(make_collectives(params.backend, context)),
        training_(params, context.run, *collectives_, context.device) {}

  void step(Phases& phases) override { training_.step(phases); }
  void after_step(Samples& samples) override { training_.tell(samples); }
  Gang* gang() override { return collectives_.get(); }
  std::vector<HeldTensor> state() const override { return training_.state(); }
  void facts(Facts& facts) override { training_.tell(facts); }

 private:
  std::unique_ptr<Collectives> collectives_;
  Training training_;
};

}  // namespace sweepd
