#include "workloads/nn/model.h"

#include <c10/core/GradMode.h>

#include <cmath>

#include "workloads/api/range.h"
#include "workloads/fused/fused.h"
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
  if (options.fusions.rotary) tables_ = rotary_tables(rotary_.table());
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
  at::Tensor output = forward();
  observer_->after(unit, output);
  return output;
}

at::Tensor LanguageModel::add_matrix(const std::string& name, std::int64_t rows,
                                     std::int64_t columns, double deviation) {
  return add_joint(name, 1, rows, columns, deviation);
}

// Draws one matrix after the other, so that each is as if it were alone.
at::Tensor LanguageModel::add_joint(const std::string& name, std::int64_t parts, std::int64_t rows,
                                    std::int64_t columns, double deviation) {
  at::Tensor joint =
      at::empty({parts * rows, columns},
                at::TensorOptions().device(options_.device).dtype(options_.weight_type));
  for (at::Tensor& part : joint.chunk(parts)) part.normal_(0, deviation, random_);
  parameters_.push_back({name, joint});
  deviations_.push_back(deviation);
  parts_.push_back(parts);
  return with_copy(joint);
}

// Returns the tensor that the forward reads: the parameter, or its copy.
at::Tensor LanguageModel::with_copy(const at::Tensor& parameter) {
  const bool copied = options_.fusions.copies && parameters_.size() > 1;  // not the embedding
  at::Tensor read = copied ? parameter.to(options_.operand_type) : parameter;
  read.set_requires_grad(options_.gradients == Gradients::kOn);
  if (options_.fusions.copies) copies_.push_back(copied ? read : at::Tensor());
  return read;
}

void LanguageModel::refresh_copies() {
  const c10::NoGradGuard no_grad;
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    if (copies_[i].defined()) copies_[i].copy_(parameters_[i].tensor);
  }
}

at::Tensor LanguageModel::add_norm(const std::string& name) {
  at::Tensor weight =
      at::ones({options_.shape.d_model},
               at::TensorOptions().device(options_.device).dtype(options_.weight_type));
  weight.set_requires_grad(options_.gradients == Gradients::kOn);
  parameters_.push_back({name, weight});
  deviations_.push_back(0);
  parts_.push_back(1);
  if (options_.fusions.copies) copies_.emplace_back();
  return weight;
}

void LanguageModel::redraw() {
  const c10::NoGradGuard no_grad;
  random_ = seeded_generator(options_.device, options_.seed);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const at::Tensor& parameter = parameters_[i].tensor;
    if (deviations_[i] > 0) {
      for (at::Tensor& part : parameter.chunk(parts_[i])) part.normal_(0, deviations_[i], random_);
    } else {
      parameter.fill_(1);
    }
  }
  refresh_copies();
}

void LanguageModel::add_block(std::int64_t index) {
  const std::string prefix = "block" + std::to_string(index) + ".";
  const std::int64_t d = options_.shape.d_model, d_ff = options_.shape.d_ff;
  const auto linear = [&](const char* name, std::int64_t out, std::int64_t in) {
    return add_matrix(prefix + name, out, in, linear_deviation(in, out));
  };
  BlockWeights block;
  block.attention_norm = add_norm(prefix + "attention_norm");
  const bool joint = options_.fusions.linear;
  if (joint) {
    block.wqkv = add_joint(prefix + "wqkv", 3, d, d, linear_deviation(d, d));
  } else {
    block.wq = linear("wq", d, d);
    block.wk = linear("wk", d, d);
    block.wv = linear("wv", d, d);
  }
  block.wo = linear("wo", d, d);
  block.ffn_norm = add_norm(prefix + "ffn_norm");
  if (joint) {
    block.w13 = add_joint(prefix + "w13", 2, d_ff, d, linear_deviation(d, d_ff));
  } else {
    block.w1 = linear("w1", d_ff, d);
    block.w3 = linear("w3", d_ff, d);
  }
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
  return linear(normed, head_);  // [T, V]
}

at::Tensor LanguageModel::embed(const at::Tensor& tokens) const {
  const Range range("embedding");
  return at::embedding(embedding_, tokens.flatten());
}

at::Tensor LanguageModel::attend(const BlockWeights& block, const at::Tensor& x,
                                 std::int64_t batch) const {
  const Heads heads =
      options_.fusions.linear ? joint_heads(block, x, batch) : single_heads(block, x, batch);
  const at::Tensor mixed = attention_(heads.q, heads.k, heads.v);
  const Range range("attention.projections");
  return linear(mixed.transpose(1, 2).reshape(x.sizes()), block.wo);  // [T, d]
}

LanguageModel::Heads LanguageModel::single_heads(const BlockWeights& block, const at::Tensor& x,
                                                 std::int64_t batch) const {
  const auto by_head = [&](const at::Tensor& weight) {  // [B, S, h, d/h]
    const Range range("attention.projections");
    return linear(x, weight).view({batch, -1, options_.shape.heads, options_.shape.head_dim()});
  };
  return {rotate(by_head(block.wq)), rotate(by_head(block.wk)), by_head(block.wv).transpose(1, 2)};
}

LanguageModel::Heads LanguageModel::joint_heads(const BlockWeights& block, const at::Tensor& x,
                                                std::int64_t batch) const {
  const std::vector<at::Tensor> parts = [&] {
    const Range range("attention.projections");
    return linear(x, block.wqkv)
        .view({batch, -1, 3, options_.shape.heads, options_.shape.head_dim()})
        .unbind(2);
  }();
  return {rotate(parts[0]), rotate(parts[1]), parts[2].transpose(1, 2)};
}

at::Tensor LanguageModel::rotate(const at::Tensor& heads) const {
  const Range range("attention.rotary");
  return options_.fusions.rotary ? fused_rotary(heads, tables_.cosines, tables_.sines)
                                 : rotary_(heads);
}

at::Tensor LanguageModel::feed_forward(const BlockWeights& block, const at::Tensor& x) const {
  const Range range("ffn");
  return linear(gated(block, x), block.w2);  // [T, d_ff] -> [T, d]
}

at::Tensor LanguageModel::gated(const BlockWeights& block, const at::Tensor& x) const {
  if (options_.fusions.linear) {
    const at::Tensor both = linear(x, block.w13);  // [T, 2 d_ff]
    if (options_.fusions.gate) return fused_gate(both);
    const auto parts = both.split(options_.shape.d_ff, 1);
    return at::silu(parts[0]) * parts[1];
  }
  const at::Tensor a = linear(x, block.w1), b = linear(x, block.w3);
  return options_.fusions.gate ? fused_gate(a, b) : at::silu(a) * b;
}

at::Tensor LanguageModel::norm(const at::Tensor& x, const at::Tensor& weight) const {
  const Range range("norm");
  if (options_.fusions.norm) return fused_norm(x, weight, kNormEps, options_.operand_type);
  return at::rms_norm(x, {options_.shape.d_model}, weight, kNormEps);
}

std::vector<NamedTensor> LanguageModel::constants() const {
  return {{"mask", attention_.mask()},
          {"rotary", rotary_.table()},
          {"rotary_cosines", tables_.cosines},
          {"rotary_sines", tables_.sines}};
}

std::vector<at::Tensor> LanguageModel::leaves() const {
  std::vector<at::Tensor> leaves = tensors_of(parameters_);
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    if (copies_[i].defined()) leaves[i] = copies_[i];
  }
  return leaves;
}

std::int64_t LanguageModel::count_parameters() const {
  std::int64_t count = 0;
  for (const NamedTensor& parameter : parameters_) count += parameter.tensor.numel();
  return count;
}

}  // namespace sweepd
