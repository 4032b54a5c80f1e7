// Data parallel training of the language model: lm_step on every rank with sequences of its own,
// and gradients averaged over the ranks. The step is workloads/dist/data_parallel.h, the strategies
// workloads/dist/gradient_average.h.
#include <memory>

#include "workloads/api/workload.h"
#include "workloads/dist/collectives.h"
#include "workloads/dist/data_parallel.h"

namespace sweepd {
namespace {

class Ddp final : public Workload {
 public:
  using Params = DdpParams;
  static constexpr std::string_view kHelp =
      "Data parallel training of a language model: forward, backward, what is left of the "
      "gradients' communication, and AdamW as phases";
  static constexpr int kVersion = 1;
  static constexpr std::string_view kPhases[] = {"forward", "backward", "communication",
                                                 "optimizer"};

  static WorkPerStep work(const Params& params, const RunParams& run) {
    WorkPerStep work = distributed_work(params, run);
    const auto n = static_cast<double>(run.world_size);
    work.figures.push_back({"sent_bytes", 2 * (n - 1) / n * weight_bytes_of(params),
                            "2 w P (N-1)/N: what a rank of N sends in an all-reduce of gradients"});
    return work;
  }

  Ddp(const Params& params, Context& context)
      : collectives_(make_collectives(params.backend, context)),
        training_(params, context.run, *collectives_, context.device) {}

  void step(Phases& phases) override { training_.step(phases); }
  void after_step(Samples& samples) override { training_.tell(samples); }
  Gang* gang() override { return collectives_.get(); }
  std::vector<HeldTensor> state() const override { return training_.state(); }
  void facts(Facts& facts) override { training_.tell(facts); }

 private:
  std::unique_ptr<Collectives> collectives_;
  DataParallel training_;
};

REGISTER_WORKLOAD("ddp", Ddp);

}  // namespace
}  // namespace sweepd
