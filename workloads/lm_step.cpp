// One step of a language model: forward, backward and AdamW, timed apart. The model is
// workloads/nn/model.h, the step workloads/nn/training.h, the formulas workloads/nn/lm_params.h.
#include <ATen/ATen.h>

#include "workloads/api/workload.h"
#include "workloads/nn/lm_params.h"
#include "workloads/nn/torch_device.h"
#include "workloads/nn/training.h"

namespace sweepd {
namespace {

class LmStep final : public Workload {
 public:
  using Params = LmStepParams;
  static constexpr std::string_view kHelp =
      "One step of a decoder-only language model: forward, backward and AdamW as phases";
  static constexpr int kVersion = 1;
  static constexpr std::string_view kPhases[] = {"forward", "backward", "optimizer"};

  static WorkPerStep work(const Params& params, const RunParams&) { return work_of(params); }

  LmStep(const Params& params, Context& context)
      : training_(params, torch_device(context.device), context.run.seed) {}

  void step(Phases& phases) override { training_.step(phases); }

  std::vector<HeldTensor> state() const override { return training_.state(); }

  void facts(Facts& facts) override {
    facts.number("parameters", static_cast<double>(training_.model().count_parameters()));
    facts.text("logits_dtype", c10::toString(training_.logits_type()));
    if (training_.loss().defined()) facts.number("final_loss", training_.loss().item<double>());
  }

 private:
  Training training_;
};

REGISTER_WORKLOAD("lm_step", LmStep);

}  // namespace
}  // namespace sweepd
