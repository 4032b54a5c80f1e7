#include "tests/workloads/lm_fixture.h"

namespace sweepd {

LmStepParams small_case() {
  LmStepParams params;
  params.model = "custom";
  params.d_model = 16;
  params.d_ff = 40;
  params.layers = 2;
  params.heads = 2;
  params.vocab = 23;
  params.context = 12;
  params.batch = 2;
  params.lr = 0.01;
  params.weight_decay = 0.1;
  return params;
}

std::vector<double> losses(const LmStepParams& params, int steps, std::int64_t seed,
                           at::Device device) {
  Training training(params, device, seed);
  RecordedPhases phases;
  std::vector<double> losses;
  for (int i = 0; i < steps; ++i) {
    training.step(phases);
    losses.push_back(training.loss().item<double>());
  }
  return losses;
}

std::vector<double> reference_losses(const LmStepParams& params, int steps, std::int64_t seed,
                                     at::Device device) {
  const Training start(params, device, seed);
  reference::Tensors weights = reference_weights(start.model());
  reference::AdamW adamw{params.lr, params.beta1, params.beta2, params.eps, params.weight_decay};
  std::vector<double> losses;
  for (int i = 0; i < steps; ++i) {
    reference::Tensors gradients;
    losses.push_back(
        reference::loss(reference_shape(params), weights, reference_batch(start), &gradients));
    adamw.step(weights, gradients);
  }
  return losses;
}

reference::Shape reference_shape(const LmStepParams& params) {
  const ModelShape shape = shape_of(params);
  return {static_cast<int>(shape.d_model), static_cast<int>(shape.d_ff),
          static_cast<int>(shape.layers),  static_cast<int>(shape.heads),
          static_cast<int>(shape.vocab),   static_cast<int>(params.batch),
          static_cast<int>(params.context)};
}

std::vector<double> to_vector(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().to(at::kCPU, at::kDouble).contiguous();
  return {flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel()};
}

reference::Tensors reference_weights(const LanguageModel& model) {
  reference::Tensors weights;
  for (const NamedTensor& parameter : model.parameters()) {
    weights[parameter.name] = to_vector(parameter.tensor);
  }
  return weights;
}

reference::Batch reference_batch(const Training& training) {
  const auto integers = [](const at::Tensor& tensor) {
    const at::Tensor flat = tensor.flatten().to(at::kCPU).contiguous();
    return std::vector<std::int64_t>(flat.const_data_ptr<std::int64_t>(),
                                     flat.const_data_ptr<std::int64_t>() + flat.numel());
  };
  return {integers(training.tokens()), integers(training.targets())};
}

}  // namespace sweepd
