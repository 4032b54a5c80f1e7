#include "workloads/nn/lm_params.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "runner/base/text.h"
#include "workloads/nn/activations.h"

namespace sweepd {
namespace {

void require_all_given(const LmStepParams& params) {
  std::vector<std::string> missing;
  if (params.d_model == 0) missing.emplace_back("d_model");
  if (params.d_ff == 0) missing.emplace_back("d_ff");
  if (params.layers == 0) missing.emplace_back("layers");
  if (params.heads == 0) missing.emplace_back("heads");
  if (missing.empty()) return;
  throw std::invalid_argument("model: `custom` needs d_model, d_ff, layers and heads; missing " +
                              join(missing, ", "));
}

void require_copies_make_sense(const LmStepParams& params) {
  if (params.weight_copies != "kept") return;
  if (params.precision != "bf16") {
    throw std::invalid_argument(
        "weight_copies: `kept` needs precision: bf16, the only one whose weights have a second "
        "type and whose loss is not scaled; this trial has " +
        params.precision);
  }
  if (params.optimizer != "adamw_fused" && step_mode_from(params.mode) == StepMode::kTrainStep) {
    throw std::invalid_argument(
        "weight_copies: `kept` needs optimizer: adamw_fused, which writes "
        "the copies; this trial has " +
        params.optimizer);
  }
}

// The cast weights: every matrix but the embedding, whose rows are only looked up.
double matrix_parameters(const ModelShape& shape) {
  const auto norms = static_cast<double>((2 * shape.layers + 1) * shape.d_model);
  return static_cast<double>(shape.parameters() - shape.vocab * shape.d_model) - norms;
}

// Kernels that Python can trace as the same kernels. It cannot trace sweepd's.
constexpr std::string_view kTraceable[] = {"naive", "sdpa_math", "sdpa_flash", "sdpa_efficient",
                                           "sdpa_cudnn"};

void override_with(std::int64_t given, std::int64_t& value) {
  if (given != 0) value = given;
}

bool keeps_scores(const LmStepParams& params) {
  return params.attention == "naive" || params.attention == "sdpa_math";
}

void add_phases(const LmStepParams& params, const ModelShape& shape, WorkPerStep& work) {
  const StepMode mode = step_mode_from(params.mode);
  const ForwardFlops flops = forward_flops(shape, params.batch, params.context);
  const double forward = flops.full();
  PhaseWork step{"step", forward, 0, 0};
  work.phases.push_back({"forward", forward, 0, 0});
  if (mode != StepMode::kForward) {
    // Each product of the forward needs two in the backward: for its input and for its weight.
    // Attention that keeps no scores computes them again: one of its forward's two products.
    const double again = keeps_scores(params) ? 0 : flops.attention / 2;
    work.phases.push_back({"backward", 2 * forward + again, 0, again});
    step.flops += 2 * forward + again;
    step.recomputed_flops = again;
  }
  double optimizer_bytes = 0;
  if (mode == StepMode::kTrainStep) {
    // AdamW reads p, g, m, v and writes p, m, v: seven accesses per parameter, 28 bytes in fp32.
    // Its dozen operations per parameter are not counted, because memory bounds it.
    optimizer_bytes = 7 * static_cast<double>(weight_bytes(precision_from(params.precision))) *
                      static_cast<double>(shape.parameters());
    work.phases.push_back({"optimizer", 0, optimizer_bytes, 0});
  }
  work.phases.push_back(step);
}

// Adds the model's numbers, so that a table can show them beside measurements.
void add_shape(const ModelShape& shape, std::vector<Figure>& figures) {
  figures.push_back({"d_model", static_cast<double>(shape.d_model), "the model's"});
  figures.push_back({"d_ff", static_cast<double>(shape.d_ff), "the model's"});
  figures.push_back({"layers", static_cast<double>(shape.layers), "the model's"});
  figures.push_back({"heads", static_cast<double>(shape.heads), "the model's"});
}

// Adds the figures against which a profile is checked and its times are compared.
void add_kernels(const LmStepParams& params, const ModelShape& shape,
                 std::vector<Figure>& figures) {
  const auto layers = static_cast<double>(shape.layers);
  const auto heads = static_cast<double>(params.batch * shape.heads);
  const auto length = static_cast<double>(params.context);
  const bool fused = !keeps_scores(params);
  const double linear = fusions_of(params).linear ? 4 : 7;
  const double matmuls = linear * layers + 1 + (fused ? 0 : 2 * layers);
  const bool backward = step_mode_from(params.mode) != StepMode::kForward;
  figures.push_back(
      {"matmuls_forward", matmuls,
       "7L + 1 + 2L, 4L instead of 7L with fused_linear; without 2L where attention is "
       "one kernel (flash, sdpa_flash, _efficient, _cudnn)"});
  figures.push_back({"matmuls_backward", backward ? 2 * matmuls : 0,
                     "twice the forward's: for the input and for the weight; 0 in mode forward"});
  figures.push_back({"attention_matmul_flops",
                     forward_flops(shape, params.batch, params.context).attention,
                     "4TSdL: scores and output, forward"});
  // Per score: the maximum, its subtraction, the exponential, the sum, the division.
  figures.push_back(
      {"softmax_flops", 5 * layers * heads * length * length, "5 B h S^2 L, forward"});
}

}  // namespace

StepMode step_mode_from(std::string_view name) {
  if (name == "forward") return StepMode::kForward;
  if (name == "forward_backward") return StepMode::kForwardBackward;
  if (name == "train_step") return StepMode::kTrainStep;
  throw std::invalid_argument("mode: `" + std::string(name) +
                              "` is unknown; expected forward, forward_backward or train_step");
}

CompileKind compile_kind_from(std::string_view name) {
  if (name == "eager") return CompileKind::kEager;
  if (name == "cuda_graph") return CompileKind::kCudaGraph;
  if (name == "aot_inductor") return CompileKind::kAotInductor;
  throw std::invalid_argument("compile: `" + std::string(name) +
                              "` is unknown; expected eager, cuda_graph or aot_inductor");
}

Fusions fusions_of(const LmStepParams& params) {
  return {params.fused_linear == "on",         params.fused_norm == "on",
          params.fused_rotary == "on",         params.fused_swiglu == "on",
          params.weight_copies == "kept",      params.products == "tuned",
          params.linear_backward == "parallel"};
}

void require_compilable(const LmStepParams& params) {
  require_copies_make_sense(params);
  const CompileKind kind = compile_kind_from(params.compile);
  if (kind == CompileKind::kEager) return;
  if (params.optimizer != "adamw_fused" && step_mode_from(params.mode) == StepMode::kTrainStep) {
    throw std::invalid_argument("compile: " + params.compile + " needs optimizer: adamw_fused, " +
                                "which counts its updates on the device; this trial has " +
                                params.optimizer + ", which counts them on the host");
  }
  if (kind != CompileKind::kAotInductor) return;
  if (fusions_of(params).any()) {
    throw std::invalid_argument(
        "compile: aot_inductor fuses operations itself and does not know ours; expected "
        "fused_linear, fused_norm, fused_rotary and fused_swiglu off, weight_copies: cast, "
        "products: torch and linear_backward: serial");
  }
  if (std::ranges::find(kTraceable, params.attention) == std::end(kTraceable)) {
    throw std::invalid_argument(
        "compile: aot_inductor cannot trace attention: " + params.attention +
        "; it can trace naive, sdpa_math, sdpa_flash, sdpa_efficient and sdpa_cudnn");
  }
  if (params.precision == "fp16") {
    throw std::invalid_argument(
        "compile: aot_inductor has no loss scaling, which precision: fp16 needs; it has fp32, "
        "tf32, bf16 and bf16_pure");
  }
}

ModelShape shape_of(const LmStepParams& params) {
  ModelShape shape;
  if (params.model == "custom") {
    require_all_given(params);
  } else {
    shape = model_shape(params.model);
  }
  override_with(params.d_model, shape.d_model);
  override_with(params.d_ff, shape.d_ff);
  override_with(params.layers, shape.layers);
  override_with(params.heads, shape.heads);
  shape.vocab = params.vocab;
  validate(shape);
  return shape;
}

std::vector<Figure> figures_of(const LmStepParams& params, const RunParams& run) {
  const ModelShape shape = shape_of(params);
  const Precision precision = precision_from(params.precision);
  const StepMode mode = step_mode_from(params.mode);
  const auto count = static_cast<double>(shape.parameters());
  const auto embedding = static_cast<double>(shape.vocab * shape.d_model);
  const auto weight = static_cast<double>(weight_bytes(precision));
  const auto operand = static_cast<double>(operand_bytes(precision));
  const auto length = static_cast<double>(params.context);
  const double tokens = static_cast<double>(params.batch) * length;
  const ForwardFlops flops = forward_flops(shape, params.batch, params.context);
  const double copies = fusions_of(params).copies ? 2 * matrix_parameters(shape) : 0;
  // A matrix with a copy has a 16-bit gradient.
  const double gradients = mode == StepMode::kForward ? 0 : weight * count - copies;
  const double state = mode == StepMode::kTrainStep ? 2 * weight * count : 0;

  std::vector<Figure> figures{
      {"parameters", count, "P = L(4d^2 + 3 d d_ff + 2d) + d + 2Vd"},
      {"weights_bytes", weight * count, "w P, w = 2 for bf16_pure, else 4"},
      {"weight_copies_bytes", copies,
       "2 (P - Vd - (2L+1)d) with weight_copies: kept, else 0: matrices but the embedding"},
      {"gradients_bytes", gradients, "w P, less the bytes of kept copies; 0 in mode forward"},
      {"optimizer_state_bytes", state, "2 w P (both moments); 0 unless mode is train_step"},
      {"training_state_bytes", 4 * weight * count,
       "4 w P: weights, gradients and both moments, whatever the mode"},
      // With autocast the residual stream keeps the weights' type.
      {"residual_stream_bytes", weight * tokens * static_cast<double>(shape.d_model), "w B S d"},
      {"layer_scores_bytes",
       operand * static_cast<double>(params.batch * shape.heads) * length * length,
       "e B h S^2, e = bytes of a GEMM operand; only naive and sdpa_math store them"},
      {"forward_flops_full", flops.full(), "2T(L(4d^2 + 3 d d_ff) + Vd) + 4TSdL"},
      {"forward_flops_causal", flops.causal(), "2T(L(4d^2 + 3 d d_ff) + Vd) + 2TSdL"},
      // The output head is a separate matrix and counts; only the lookup table is excluded.
      {"parameters_without_embedding", count - embedding, "P - Vd"},
  };
  if (const auto saved = saved_for_backward(params, shape, run.device)) {
    figures.push_back({"saved_for_backward_bytes", saved->bytes, saved->formula});
  }
  add_shape(shape, figures);
  add_kernels(params, shape, figures);
  return figures;
}

// FLOPs count a multiply-add as two and attention in full, also if the kernel skips a part, so that
// all variants are compared with the same number. The figures also give the causal half.
WorkPerStep work_of(const LmStepParams& params, const RunParams& run) {
  require_compilable(params);
  const ModelShape shape = shape_of(params);
  WorkPerStep work;
  work.arithmetic = peak_name(precision_from(params.precision));
  work.tokens = static_cast<double>(params.batch) * static_cast<double>(params.context);
  add_phases(params, shape, work);
  work.figures = figures_of(params, run);
  return work;
}

}  // namespace sweepd
