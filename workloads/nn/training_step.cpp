#include "workloads/nn/training_step.h"

#include <stdexcept>

#include "workloads/nn/graphed_training.h"
#include "workloads/nn/packaged_training.h"
#include "workloads/nn/torch_device.h"
#include "workloads/nn/training.h"

namespace sweepd {

std::unique_ptr<TrainingStep> make_training_step(const LmStepParams& params, Context& context) {
  require_compilable(params);
  switch (compile_kind_from(params.compile)) {
    case CompileKind::kEager:
      return std::make_unique<Training>(params, torch_device(context.device), context.run.seed);
    case CompileKind::kCudaGraph:
      return std::make_unique<GraphedTraining>(params, context);
    case CompileKind::kAotInductor:
      return std::make_unique<PackagedTraining>(params, context);
  }
  throw std::logic_error("unknown kind of compilation");
}

}  // namespace sweepd
