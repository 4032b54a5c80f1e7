#include "workloads/nn/graphed_training.h"

#include "workloads/api/set_up_timer.h"
#include "workloads/nn/torch_device.h"

namespace sweepd {

GraphedTraining::GraphedTraining(const LmStepParams& params, Context& context)
    : captured_(context.device), training_(params, torch_device(context.device), context.run.seed) {
  SetUpTimer timer(context, "capture_time");
  captured_.capture([this](Phases& phases) { training_.step(phases); });
  training_.restart();
  timer.stop();
}

void GraphedTraining::facts(Facts& facts) const {
  training_.facts(facts);
  facts.number("captured_graphs", static_cast<double>(captured_.graphs()));
}

}  // namespace sweepd
