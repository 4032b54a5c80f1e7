// Memory, compute and transfers of one training step on a mesh of devices, by formula. Pure;
// includes no torch header. The formulas with their sources: docs/PARALLELISM.md.
//
//   N = R X Y Z devices: R data, X FSDP, Y tensor, Z pipeline
//   B tokens of one step over all devices; a device holds B / (R X) of them
//   a dimension of size 1 transfers nothing; others are assumed to be large: a ring's (X - 1) / X
//   counts as 1
#pragma once

#include <cstdint>
#include <optional>

#include "workloads/parallelism/chip.h"

namespace sweepd::parallelism {

inline double real(std::int64_t value) {
  return static_cast<double>(value);
}

// The counted parts: only the FFN matrices, as in the accounting problem, or the whole model of
// nn/shape.h (attention, norms, embedding, output head).
enum class Parts { kFfn, kAll };

// The model of a parallelism plan, as a few numbers.
struct Model {
  std::int64_t d_model = 0;
  std::int64_t d_ff = 0;
  std::int64_t layers = 0;    // blocks
  std::int64_t matrices = 2;  // of one FFN: 2, or 3 with a gate
  Parts parts = Parts::kFfn;
  std::int64_t vocab = 0;    // kAll only
  std::int64_t context = 0;  // tokens of one sequence; kAll only

  // P. kFfn: matrices D F L. kAll: L (4 D^2 + matrices D F + 2 D) + D + 2 V D.
  std::int64_t parameters() const;
  // Forward FLOPs of one token: two per weight in a product, and 4 S D L for attention scores.
  double flops_per_token() const;
  // Numbers that one block keeps for the backward per token, without recomputation: the inputs of
  // all products, D + F, and with a gate its two factors too, D + 3 F. kAll adds 7 D: inputs of
  // both norms and of the attention, queries, keys, values, and the attention's output. Scores are
  // not kept.
  std::int64_t saved_per_token_and_block() const;
  // Tensor parallelism gathers and scatters the residual stream once around each FFN and once
  // around each attention.
  std::int64_t tensor_pairs_per_block() const { return parts == Parts::kAll ? 2 : 1; }
};

// How transfers over different axes of the mesh share the time: one after the other, or all at
// once. Compute runs in parallel with them in both cases.
enum class Transfers { kAdd, kOverlap };
enum class Timed { kForward, kTrainStep };

struct Degrees {
  std::int64_t data = 1, fsdp = 1, tensor = 1, pipeline = 1;
  std::int64_t devices() const { return data * fsdp * tensor * pipeline; }
};

// M: axes of the physical mesh that each dimension has for itself.
struct Axes {
  std::int64_t data = 1, fsdp = 1, tensor = 1, pipeline = 1;
};

struct Plan {
  Model model;
  Chip chip;
  Degrees degrees;
  Axes axes;
  double tokens = 0;  // B
  // If given, B grows with the devices, so that each holds this many.
  std::optional<double> tokens_per_device;
  std::int64_t microbatches = 1;
  double activation_sharding = 0;  // share of the saved activations that FSDP shards too
  double operand_bytes = 2;        // e: of activations and everything that is sent
  Transfers transfers = Transfers::kAdd;
  Timed timed = Timed::kTrainStep;

  double total_tokens() const;      // B
  double tokens_on_device() const;  // B / (R X)
};

// Memory of one device, at the largest stage of the pipeline. Weights, gradients and both AdamW
// moments are fp32: 4 + 4 + 8 bytes per parameter.
struct Memory {
  double weights = 0, gradients = 0, optimizer = 0, activations = 0;  // bytes
  double total() const { return weights + gradients + optimizer + activations; }
};
Memory memory(const Plan& plan);

// Seconds as a function of the tokens of a step: fixed + per_token B.
struct Cost {
  double fixed_s = 0;
  double per_token_s = 0;
  double at(double tokens) const { return fixed_s + per_token_s * tokens; }
};

struct Costs {
  Cost compute, fsdp, tensor, data, pipeline;
};
Costs costs(const Plan& plan);

struct Times {
  double compute_s = 0, fsdp_s = 0, tensor_s = 0, data_s = 0, pipeline_s = 0;
  double communication_s = 0;  // their sum, or the largest
  double bubble_s = 0;         // waiting stages of a pipeline: compute (Z - 1) / microbatches
  double step_s = 0;           // the larger of compute and communication, plus the bubble
  bool compute_bound() const { return compute_s >= communication_s; }
};
Times times(const Plan& plan);

// Returns "compute", or the largest transfer: "fsdp", "tensor", "data", "pipeline".
const char* bound(const Times& times);

}  // namespace sweepd::parallelism
