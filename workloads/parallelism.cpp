// The planner: memory, compute and transfers of a training step on a mesh of devices, by formula
// (docs/PARALLELISM.md). Runs nothing and needs no device.
#include "workloads/api/workload.h"
#include "workloads/parallelism/figures.h"
#include "workloads/parallelism/params.h"

namespace sweepd {
namespace {

class Parallelism final : public Workload {
 public:
  using Params = parallelism::Params;
  static constexpr std::string_view kHelp =
      "plans data, FSDP, tensor and pipeline parallelism by formula; runs nothing";
  static constexpr std::string_view kPasses[] = {"timing"};
  static constexpr bool kAnalytic = true;

  // No phases: a step that does nothing must not count the model's FLOPs.
  static WorkPerStep work(const Params& params, const RunParams&) {
    const parallelism::Plan plan = parallelism::plan_of(params);
    WorkPerStep work;
    work.tokens = plan.total_tokens();
    work.figures = parallelism::figures(plan);
    return work;
  }

  Parallelism(const Params&, Context&) {}
  void step(Phases&) override {}
};

REGISTER_WORKLOAD("parallelism", Parallelism);

}  // namespace
}  // namespace sweepd
