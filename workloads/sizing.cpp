// The language model by formula alone: parameters, bytes and FLOPs of a shape, without a tensor, so
// that the smallest machine can size the largest model. Needs no LibTorch.
#include "workloads/api/workload.h"
#include "workloads/nn/activations.h"
#include "workloads/nn/lm_params.h"

namespace sweepd {
namespace {

struct SizingParams {
  LmStepParams lm;  // its mode stays train_step: gradients and optimizer state count
  void visit(auto& field) { lm.visit_model(field); }
};

class Sizing final : public Workload {
 public:
  using Params = SizingParams;
  static constexpr std::string_view kHelp =
      "parameters, bytes and FLOPs of a language model by formula; runs nothing";
  static constexpr std::string_view kPasses[] = {"timing"};
  static constexpr bool kAnalytic = true;

  // No phases: a step that does nothing must not count the model's FLOPs.
  static WorkPerStep work(const Params& params, const RunParams& run) {
    WorkPerStep work;
    work.figures = figures_of(params.lm, run);
    if (const auto saved = saved_for_backward(params.lm, shape_of(params.lm), run.device)) {
      work.figures.insert(work.figures.end(), saved->parts.begin(), saved->parts.end());
    }
    return work;
  }

  Sizing(const Params&, Context&) {}
  void step(Phases&) override {}
};

REGISTER_WORKLOAD("sizing", Sizing);

}  // namespace
}  // namespace sweepd
