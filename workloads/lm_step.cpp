// One step of a language model: forward, backward and AdamW, each timed. The model is in
// workloads/nn/model.h, the step in workloads/nn/training_step.h, the formulas in
// workloads/nn/lm_params.h.
#include "workloads/torch/aten.h"

#include <memory>

#include "workloads/api/workload.h"
#include "workloads/nn/lm_params.h"
#include "workloads/nn/training_step.h"

namespace sweepd {
namespace {

class LmStep final : public Workload {
 public:
  using Params = LmStepParams;
  static constexpr std::string_view kHelp =
      "One step of a decoder-only language model: forward, backward and AdamW as phases";
  static constexpr int kVersion = 2;
  static constexpr std::string_view kPhases[] = {"forward", "backward", "optimizer"};

  static WorkPerStep work(const Params& params, const RunParams& run) {
    return work_of(params, run);
  }

  LmStep(const Params& params, Context& context) : step_(make_training_step(params, context)) {}

  void step(Phases& phases) override { step_->step(phases); }

  std::vector<HeldTensor> state() const override { return step_->state(); }

  void facts(Facts& facts) override {
    facts.number("parameters", static_cast<double>(step_->model().count_parameters()));
    step_->facts(facts);
    if (step_->loss().defined()) facts.number("final_loss", step_->loss().item<double>());
  }

 private:
  std::unique_ptr<TrainingStep> step_;
};

REGISTER_WORKLOAD("lm_step", LmStep);

}  // namespace
}  // namespace sweepd
