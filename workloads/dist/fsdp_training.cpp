#include "workloads/dist/fsdp_training.h"

#include <algorithm>
#include <string>

#include "workloads/api/failure.h"
#include "workloads/dist/mean_loss.h"
#include "workloads/nn/held.h"
#include "workloads/nn/torch_device.h"

namespace sweepd {
namespace {

LmStepParams checked(LmStepParams params) {
  if (is_autocast(precision_from(params.precision))) {
    throw Unavailable("fsdp: precision " + params.precision +
                      " is autocast, whose casts keep a copy of every weight for the backward; use "
                      "fp32, tf32 or bf16_pure");
  }
  params.mode = "forward_backward";  // FullySharded has the optimizer
  return params;
}

std::size_t units_of(const LmStepParams& params) {
  return static_cast<std::size_t>(shape_of(params).layers) + 2;
}

}  // namespace

FsdpTraining::FsdpTraining(const FsdpParams& params, const RunParams& run, Collectives& collectives,
                           Device& device)
    : collectives_(collectives),
      clock_(device, FullySharded::kMaxWaits * units_of(params.lm)),
      sharded_(params.overlap ? Overlap::kOn : Overlap::kOff, collectives, device, clock_),
      training_(checked(params.lm), torch_device(device), run.seed,
                {collectives.rank(), collectives.world_size(),
                 [this](std::span<const NamedTensor> unit) { sharded_.add_unit(unit); }}) {
  sharded_.make_optimizer(adamw_from(params.lm.optimizer), adamw_options(params.lm));
  training_.observe_units(&sharded_);
}

void FsdpTraining::step(Phases& phases) {
  clock_.begin_step();
  sharded_.begin_step();
  phases.enter("forward");
  const at::Tensor loss = training_.forward();
  phases.enter("backward");
  training_.backward(loss);
  sharded_.finish();
  phases.enter("optimizer");
  sharded_.update();
  training_.keep_loss(loss);
  clock_.end_step();
}

void FsdpTraining::tell(Samples& samples) {
  clock_.tell(sharded_.communication_ms(), samples);
  samples.add("step", "loss", mean_loss(training_.loss(), collectives_));
}

void FsdpTraining::tell(Facts& facts) {
  facts.number("parameters", static_cast<double>(training_.model().count_parameters()));
  facts.number("collectives", static_cast<double>(sharded_.collectives_sent()));
  if (training_.loss().defined()) {
    facts.number("final_loss", mean_loss(training_.loss(), collectives_));
  }
}

std::vector<HeldTensor> FsdpTraining::state() const {
  using Kind = HeldTensor::Kind;
  std::vector<HeldTensor> state;
  const auto add = [&](Kind kind, const char* name, const std::vector<at::Tensor>& tensors) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      add_held(state, kind, "unit" + std::to_string(i) + name, tensors[i]);
    }
  };
  add(Kind::kWeights, ".part", sharded_.parts());
  add(Kind::kGradients, ".part.grad", sharded_.optimizer().gradients());
  add(Kind::kOptimizerState, ".part.exp_avg", sharded_.optimizer().moments());
  add(Kind::kOptimizerState, ".part.exp_avg_sq", sharded_.optimizer().squares());
  add_held(state, Kind::kOther, "updates", sharded_.optimizer().device_updates());
  for (HeldTensor& held : training_.state()) {
    const auto same = [&](const HeldTensor& other) { return other.block == held.block; };
    if (std::none_of(state.begin(), state.end(), same)) state.push_back(std::move(held));
  }
  return state;
}

}  // namespace sweepd
