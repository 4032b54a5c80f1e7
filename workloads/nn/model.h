// The language model of `lm_step`: its parameters, created on their device, and its forward. Every
// letter below is a size: B batch, S context, T = B S tokens, d d_model, h heads, V vocab.
#pragma once

#include "workloads/torch/aten.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "workloads/fused/fused.h"
#include "workloads/linear/linear.h"
#include "workloads/nn/attention.h"
#include "workloads/nn/fusions.h"
#include "workloads/nn/rotary.h"
#include "workloads/nn/shape.h"

namespace sweepd {

struct NamedTensor {
  std::string name;  // "block0.wq"
  at::Tensor tensor;
};

std::vector<at::Tensor> tensors_of(std::span<const NamedTensor> named);

// Weights are [out, in]; a linear layer is x W^T.
struct BlockWeights {
  at::Tensor attention_norm;  // [d]
  at::Tensor wq, wk, wv, wo;  // [d, d]
  at::Tensor ffn_norm;        // [d]
  at::Tensor w1, w3;          // [d_ff, d]
  at::Tensor w2;              // [d, d_ff]
  // With Fusions::linear, in place of wq, wk, wv and of w1, w3.
  at::Tensor wqkv;  // [3 d, d]
  at::Tensor w13;   // [2 d_ff, d]
};

// Notified where the forward of each unit begins and ends. Units are parts of the model whose
// weights are needed together: 0 the embedding, then the blocks, then the last norm with the head.
class UnitObserver {
 public:
  virtual ~UnitObserver() = default;
  virtual void before(std::size_t unit) = 0;
  virtual void after(std::size_t unit, const at::Tensor& output) = 0;
};

struct ModelOptions {
  ModelShape shape;
  std::int64_t context = 0;
  AttentionKind attention = AttentionKind::kNaive;
  at::ScalarType weight_type = at::kFloat;
  at::ScalarType operand_type = at::kFloat;  // type of attention's inputs
  at::Device device = at::kCPU;
  Gradients gradients = Gradients::kOn;
  std::int64_t seed = 0;
  Fusions fusions = {};
  LinearWay linear = {};
  // Called with each unit's parameters, in order, before those of the next one are made, so that a
  // rank that keeps only a part of them never has the whole model at once.
  std::function<void(std::span<const NamedTensor>)> unit_made = {};
};

class LanguageModel {
 public:
  static constexpr double kNormEps = 1e-5;

  // Weights depend only on shape, type, device kind and seed: matrices are normal with variance 2 /
  // (in + out), the embedding is normal with variance 1, norms are one. Fusions change no weight.
  explicit LanguageModel(const ModelOptions& options);

  // Resets to the first weights, in place.
  void redraw();

  // tokens: int64 [B, S], S the context of the options. Result [T, V].
  at::Tensor logits(const at::Tensor& tokens) const;

  // Observes every forward from now on, and must outlive them; null: no observer.
  void observe_units(UnitObserver* observer) { observer_ = observer; }

  const ModelOptions& options() const { return options_; }
  const std::vector<NamedTensor>& parameters() const { return parameters_; }
  // With Fusions::copies, one per parameter: the 16-bit tensor that the products read and that gets
  // the gradient; undefined where a parameter has none. Else empty.
  const std::vector<at::Tensor>& copies() const { return copies_; }
  // One per parameter: the tensor that gets the gradient, which is the copy or the parameter.
  std::vector<at::Tensor> leaves() const;
  // Mask and rotary table: made once; they are not parameters.
  std::vector<NamedTensor> constants() const;
  std::int64_t count_parameters() const;  // of the real tensors

 private:
  at::Tensor add_matrix(const std::string& name, std::int64_t rows, std::int64_t columns,
                        double deviation);
  at::Tensor add_norm(const std::string& name);
  void add_block(std::int64_t index);
  at::Tensor embed(const at::Tensor& tokens) const;
  at::Tensor attend(const BlockWeights& block, const at::Tensor& x, std::int64_t batch) const;
  struct Heads {
    at::Tensor q, k, v;  // [B, h, S, d/h]; q and k rotated
  };
  Heads single_heads(const BlockWeights& block, const at::Tensor& x, std::int64_t batch) const;
  Heads joint_heads(const BlockWeights& block, const at::Tensor& x, std::int64_t batch) const;
  at::Tensor rotate(const at::Tensor& heads) const;  // [B, S, h, d/h] -> [B, h, S, d/h]
  at::Tensor gated(const BlockWeights& block, const at::Tensor& x) const;
  at::Tensor add_joint(const std::string& name, std::int64_t parts, std::int64_t rows,
                       std::int64_t columns, double deviation);
  void refresh_copies();
  at::Tensor with_copy(const at::Tensor& parameter);
  at::Tensor feed_forward(const BlockWeights& block, const at::Tensor& x) const;
  at::Tensor norm(const at::Tensor& x, const at::Tensor& weight) const;
  at::Tensor predict(const at::Tensor& x) const;
  at::Tensor linear(const at::Tensor& x, const at::Tensor& weight) const {
    return sweepd::linear(x, weight, options_.linear);
  }
  void end_unit();  // ends the unit of the parameters made since the last call
  at::Tensor in_unit(std::size_t unit, auto forward) const;

  ModelOptions options_;
  at::Generator random_;
  Rotary rotary_;
  RotaryTables tables_;  // with Fusions::rotary
  Attention attention_;
  std::vector<NamedTensor> parameters_;
  std::vector<double> deviations_;   // of each parameter's first values; 0: a norm (ones)
  std::vector<std::int64_t> parts_;  // of each parameter: how many matrices it joins
  std::vector<at::Tensor> copies_;
  at::Tensor embedding_;  // [V, d]
  std::vector<BlockWeights> blocks_;
  at::Tensor final_norm_;      // [d]
  at::Tensor head_;            // [V, d]
  std::size_t units_end_ = 0;  // number of parameters that belong to a unit so far
  UnitObserver* observer_ = nullptr;
};

}  // namespace sweepd
