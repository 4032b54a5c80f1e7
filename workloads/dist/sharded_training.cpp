#include "workloads/dist/sharded_training.h"

#include <algorithm>
#include <string>

#include "workloads/dist/buckets.h"
#include "workloads/dist/mean_loss.h"
#include "workloads/nn/held.h"
#include "workloads/nn/torch_device.h"

namespace sweepd {
namespace {

std::int64_t bucket_bytes(const ShardedOptimizerParams& params) {
  return static_cast<std::int64_t>(params.bucket_mb * kBytesOfMb);
}

// ShardedUpdate has the optimizer.
LmStepParams without_optimizer(LmStepParams params) {
  params.mode = "forward_backward";
  return params;
}

// Returns the number of elements of each parameter, in the model's order.
std::vector<std::int64_t> parameter_sizes(const ModelShape& shape) {
  const std::int64_t d = shape.d_model, d_ff = shape.d_ff;
  std::vector<std::int64_t> sizes{shape.vocab * d};
  for (std::int64_t i = 0; i < shape.layers; ++i) {
    const std::int64_t block[] = {d, d * d, d * d, d * d, d * d, d, d * d_ff, d * d_ff, d * d_ff};
    sizes.insert(sizes.end(), std::begin(block), std::end(block));
  }
  sizes.insert(sizes.end(), {d, shape.vocab * d});
  return sizes;
}

std::int64_t largest_bucket(const ShardedOptimizerParams& params, std::int64_t weight) {
  std::vector<BucketItem> items;
  for (const std::int64_t size : parameter_sizes(shape_of(params.lm))) {
    items.push_back({size * weight});
  }
  std::int64_t largest = 0;
  for (const std::vector<std::size_t>& members : fill_buckets(items, bucket_bytes(params))) {
    std::int64_t bytes = 0;
    for (const std::size_t member : members) bytes += items[member].bytes;
    largest = std::max(largest, bytes);
  }
  return largest;
}

}  // namespace

ShardedMemory sharded_memory(const ShardedOptimizerParams& params, std::int64_t world_size) {
  const double weights = weight_bytes_of(params);
  const std::int64_t weight = weight_bytes(precision_from(params.lm.precision));
  ShardedMemory memory;
  memory.after_init = weights + 2 * weights;
  if (params.sharded) {
    memory.bucket_buffer = static_cast<double>(largest_bucket(params, weight));
    memory.after_init =
        weights + 2 * weights / static_cast<double>(world_size) + memory.bucket_buffer;
  }
  memory.before_step = memory.after_init + weights;
  memory.after_step = memory.after_init;
  return memory;
}

ShardedTraining::ShardedTraining(const ShardedOptimizerParams& params, const RunParams& run,
                                 Collectives& collectives, Device& device)
    : collectives_(collectives),
      training_(without_optimizer(params.lm), torch_device(device), run.seed,
                {collectives.rank(), collectives.world_size(), {}}),
      update_(params.sharded ? Sharding::kOn : Sharding::kOff, adamw_from(params.lm.optimizer),
              adamw_options(params.lm), tensors_of(training_.model().parameters()),
              bucket_bytes(params), collectives, device),
      clock_(device, 2) {
  for (const at::Tensor& weights : update_.weights()) collectives.broadcast(weights, 0);
}

void ShardedTraining::step(Phases& phases) {
  clock_.begin_step();
  phases.enter("forward");
  const at::Tensor loss = training_.forward();
  phases.enter("backward");
  training_.backward(loss);
  phases.enter("communication");
  clock_.wait([&] { update_.reduce(); });
  phases.enter("optimizer");
  update_.update(training_.scaler());
  phases.enter("communication");
  clock_.wait([&] { update_.gather(); });
  training_.keep_loss(loss);
  clock_.end_step();
}

void ShardedTraining::tell(Samples& samples) {
  clock_.tell(update_.communication_ms(), samples);
  samples.add("step", "loss", mean_loss(training_.loss(), collectives_));
}

void ShardedTraining::tell(Facts& facts) {
  facts.number("parameters", static_cast<double>(training_.model().count_parameters()));
  if (training_.loss().defined()) {
    facts.number("final_loss", mean_loss(training_.loss(), collectives_));
  }
}

std::vector<HeldTensor> ShardedTraining::state() const {
  using Kind = HeldTensor::Kind;
  std::vector<HeldTensor> state;
  const auto add = [&](Kind kind, const char* name, const std::vector<at::Tensor>& tensors) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      add_held(state, kind, "bucket" + std::to_string(i) + name, tensors[i]);
    }
  };
  add(Kind::kWeights, ".weights", update_.weights());
  add(Kind::kGradients, ".gradients", update_.gradients());
  add(Kind::kOptimizerState, ".exp_avg", update_.optimizer().moments());
  add(Kind::kOptimizerState, ".exp_avg_sq", update_.optimizer().squares());
  add_held(state, Kind::kOther, "gradient_buffer", update_.buffer());
  add_held(state, Kind::kOther, "updates", update_.optimizer().device_updates());
  for (HeldTensor& held : training_.state()) {
    const auto same = [&](const HeldTensor& other) { return other.block == held.block; };
    if (std::none_of(state.begin(), state.end(), same)) state.push_back(std::move(held));
  }
  return state;
}

}  // namespace sweepd
