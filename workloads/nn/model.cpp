#include "workloads/nn/model.h"

#include <c10/core/GradMode.h>

#include <cmath>

#include "workloads/api/range.h"
#include "workloads/nn/held.h"
#include "workloads/nn/torch_device.h"

namespace sweepd {
namespace {

double linear_deviation(std::int64_t in, std::int64_t out) {
  return std::sqrt(2.0 / static_cast<double>(in + out));
}

}  // namespace

std::vector<at::Tensor> tensors_of(std::span<const NamedTensor> named) {
  std::vector<at::Tensor> tensors;
  for (const NamedTensor& one : named) tensors.push_back(one.tensor);
  return tensors;
}

LanguageModel::LanguageModel(const ModelOptions& options)
    : options_(options),
      random_(seeded_generator(options.device, options.seed)),
      rotary_(options.context, options.shape.head_dim(), options.device),
      attention_(options.attention,
                 {options.shape.heads, options.context, options.shape.head_dim()},
                 options.operand_type, options.device, options.gradients) {
  const auto [d, d_ff, layers, heads, vocab] = options.shape;
  embedding_ = add_matrix("embedding", vocab, d, 1);
  end_unit();
  for (std::int64_t i = 0; i < layers; ++i) {
    add_block(i);
    end_unit();
  }
  final_norm_ = add_norm("final_norm");
  head_ = add_matrix("head", vocab, d, linear_deviation(d, vocab));
  end_unit();
}

void LanguageModel::end_unit() {
  if (options_.unit_made) options_.unit_made(std::span(parameters_).subspan(units_end_));
  units_end_ = parameters_.size();
}

at::Tensor LanguageModel::in_unit(std::size_t unit, auto forward) const {
  if (observer_ == nullptr) return forward();
  observer_->before(unit);
  const at::Tensor output = forward();
  observer_->after(unit, output);
  return output;
}

at::Tensor LanguageModel::add_matrix(const std::string& name, std::int64_t rows,
                                     std::int64_t columns, double deviation) {
  at::Tensor matrix = at::empty(
      {rows, columns}, at::TensorOptions().device(options_.device).dtype(options_.weight_type));
  matrix.normal_(0, deviation, random_);
  matrix.set_requires_grad(options_.gradients == Gradients::kOn);
  parameters_.push_back({name, matrix});
  deviations_.push_back(deviation);
  return matrix;
}

at::Tensor LanguageModel::add_norm(const std::string& name) {
  at::Tensor weight =
      at::ones({options_.shape.d_model},
               at::TensorOptions().device(options_.device).dtype(options_.weight_type));
  weight.set_requires_grad(options_.gradients == Gradients::kOn);
  parameters_.push_back({name, weight});
  deviations_.push_back(0);
  return weight;
}

void LanguageModel::redraw() {
  const c10::NoGradGuard no_grad;
  random_ = seeded_generator(options_.device, options_.seed);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const at::Tensor& parameter = parameters_[i].tensor;
    if (deviations_[i] > 0) {
      parameter.normal_(0, deviations_[i], random_);
    } else {
      parameter.fill_(1);
    }
  }
}

void LanguageModel::add_block(std::int64_t index) {
  const std::string prefix = "block" + std::to_string(index) + ".";
  const std::int64_t d = options_.shape.d_model, d_ff = options_.shape.d_ff;
  const auto linear = [&](const char* name, std::int64_t out, std::int64_t in) {
    return add_matrix(prefix + name, out, in, linear_deviation(in, out));
  };
  BlockWeights block;
  block.attention_norm = add_norm(prefix + "attention_norm");
  block.wq = linear("wq", d, d);
  block.wk = linear("wk", d, d);
  block.wv = linear("wv", d, d);
  block.wo = linear("wo", d, d);
  block.ffn_norm = add_norm(prefix + "ffn_norm");
  block.w1 = linear("w1", d_ff, d);
  block.w3 = linear("w3", d_ff, d);
  block.w2 = linear("w2", d, d_ff);
  blocks_.push_back(std::move(block));
}

at::Tensor LanguageModel::logits(const at::Tensor& tokens) const {
  const std::int64_t batch = tokens.size(0);
  std::size_t unit = 0;
  at::Tensor x = in_unit(unit++, [&] { return embed(tokens); });  // [T, d]
  name_tensor(x, "residual");
  for (const BlockWeights& block : blocks_) {
    x = in_unit(unit++, [&] {
      // Assigned to x, so that a forward without backward frees the block's input here.
      x = x + attend(block, norm(x, block.attention_norm), batch);
      name_tensor(x, "residual");
      return x + feed_forward(block, norm(x, block.ffn_norm));
    });
    name_tensor(x, "residual");
  }
  return in_unit(unit, [&] { return predict(x); });
}

at::Tensor LanguageModel::predict(const at::Tensor& x) const {
  const at::Tensor normed = norm(x, final_norm_);
  const Range range("lm_head");
  return at::linear(normed, head_);  // [T, V]
}

at::Tensor LanguageModel::embed(const at::Tensor& tokens) const {
  const Range range("embedding");
  return at::embedding(embedding_, tokens.flatten());
}

at::Tensor LanguageModel::attend(const BlockWeights& block, const at::Tensor& x,
                                 std::int64_t batch) const {
  const std::int64_t heads = options_.shape.heads, head_dim = options_.shape.head_dim();
  const auto by_head = [&](const at::Tensor& weight) {
    const Range range("attention.projections");
    return at::linear(x, weight).view({batch, -1, heads, head_dim});  // [B, S, h, d/h]
  };
  const auto rotated = [&](const at::Tensor& heads_apart) {
    const Range range("attention.rotary");
    return rotary_(heads_apart);
  };
  const at::Tensor q = rotated(by_head(block.wq)), k = rotated(by_head(block.wk));
  const at::Tensor v = by_head(block.wv).transpose(1, 2);  // like q and k: [B, h, S, d/h]
  const at::Tensor mixed = attention_(q, k, v);
  const Range range("attention.projections");
  return at::linear(mixed.transpose(1, 2).reshape(x.sizes()), block.wo);  // [T, d]
}

at::Tensor LanguageModel::feed_forward(const BlockWeights& block, const at::Tensor& x) const {
  const Range range("ffn");
  const at::Tensor gated = at::silu(at::linear(x, block.w1)) * at::linear(x, block.w3);
  return at::linear(gated, block.w2);  // [T, d_ff] -> [T, d]
}

at::Tensor LanguageModel::norm(const at::Tensor& x, const at::Tensor& weight) const {
  const Range range("norm");
  return at::rms_norm(x, {options_.shape.d_model}, weight, kNormEps);
}

std::vector<NamedTensor> LanguageModel::constants() const {
  return {{"mask", attention_.mask()}, {"rotary", rotary_.table()}};
}

std::int64_t LanguageModel::count_parameters() const {
  std::int64_t count = 0;
  for (const NamedTensor& parameter : parameters_) count += parameter.tensor.numel();
  return count;
}

}  // namespace sweepd
