#include <algorithm>
#include <cmath>

#include "workloads/parallelism/bounds.h"
#include "workloads/parallelism/figure_list.h"

namespace sweepd::parallelism {
namespace {

void add_parameters(const Model& m, FigureList& list) {
  const auto d = grouped(real(m.d_model)), f = grouped(real(m.d_ff)), l = grouped(real(m.layers));
  const auto p = grouped(real(m.parameters()));
  if (m.parts == Parts::kFfn) {
    list.add("parameters", real(m.parameters()), "P = {0} D F L = {0} × {1} × {2} × {3} = {4}",
             m.matrices, d, f, l, p);
    return;
  }
  list.add("parameters", real(m.parameters()),
           "P = L (4 D² + {0} D F + 2 D) + D + 2 V D with L = {3}, D = {1}, F = {2}, V = {5}: {4}",
           m.matrices, d, f, l, p, grouped(real(m.vocab)));
}

// Bytes of one token, in all blocks.
double saved_bytes(const Plan& plan) {
  return plan.operand_bytes * real(plan.model.saved_per_token_and_block() * plan.model.layers);
}

void add_whole(const Plan& plan, FigureList& list) {
  const Model& m = plan.model;
  const double state = 16 * real(m.parameters());
  const double capacity = plan.chip.memory_bytes;
  list.add("state_bytes", state,
           "16 P = 16 × {} B = {}: fp32 weights 4, gradients 4, AdamW moments 8",
           grouped(real(m.parameters())), bytes_text(state));
  list.add("state_devices", std::ceil(state / capacity), "⌈16 P / M⌉ = ⌈{} / {}⌉ = ⌈{}⌉ = {}",
           bytes_text(state), bytes_text(capacity), grouped(state / capacity, 2),
           grouped(std::ceil(state / capacity)));
  const double per_token = saved_bytes(plan);
  const bool ffn = m.parts == Parts::kFfn;
  const std::string terms =
      ffn ? (m.matrices == 2 ? "D + F" : "D + 3 F") : (m.matrices == 2 ? "8 D + F" : "8 D + 3 F");
  list.add("activation_bytes_per_token", per_token, "{0} ({1}) L = {0} × {2} × {3} B = {4}",
           brief(plan.operand_bytes), terms, grouped(real(m.saved_per_token_and_block())),
           grouped(real(m.layers)), bytes_text(per_token));
  const double all = per_token * plan.total_tokens();
  list.add("activation_bytes", all, "B tokens × {} = {} × {} = {}", bytes_text(per_token),
           brief(plan.total_tokens()), bytes_text(per_token), bytes_text(all));
}

void add_per_device(const Plan& plan, FigureList& list) {
  const Memory held = memory(plan);
  const Degrees& n = plan.degrees;
  const std::string share = fmt::format(
      "{} / ({} × {} × {})", grouped(real(plan.model.parameters())), n.fsdp, n.tensor, n.pipeline);
  list.add("weights_bytes", held.weights, "4 P / (X Y Z) = 4 × {} = {}", share,
           bytes_text(held.weights));
  list.add("gradients_bytes", held.gradients, "4 P / (X Y Z) = 4 × {} = {}", share,
           bytes_text(held.gradients));
  list.add("optimizer_bytes", held.optimizer, "8 P / (X Y Z) = 8 × {} = {}", share,
           bytes_text(held.optimizer));
  list.add("activations_bytes", held.activations,
           "A (1 - s + s / X), A = {} × {} tokens / (Y Z) × min(m, Z) / m: {}",
           bytes_text(saved_bytes(plan)), brief(plan.tokens_on_device()),
           bytes_text(held.activations));
  list.add("memory_bytes", held.total(), "{} + {} + {} + {} = {} of {}", bytes_text(held.weights),
           bytes_text(held.gradients), bytes_text(held.optimizer), bytes_text(held.activations),
           bytes_text(held.total()), bytes_text(plan.chip.memory_bytes));
  list.add("memory_share", held.total() / plan.chip.memory_bytes, "{} / {}{}",
           bytes_text(held.total()), bytes_text(plan.chip.memory_bytes),
           held.total() > plan.chip.memory_bytes ? ": does not fit" : "");
}

// Uses the A of a device with its own T tokens, for any number of devices.
void add_closed_form(const Plan& plan, std::int64_t fsdp, FigureList& list) {
  Plan unsharded = plan;
  unsharded.activation_sharding = 0;
  const double a = memory(unsharded).activations;
  const double s = plan.activation_sharding;
  const Degrees& n = plan.degrees;
  const double state = 16 * real(plan.model.parameters()) / real(n.tensor * n.pipeline);
  list.add("fsdp_that_fits", real(fsdp),
           "X = ⌈(16 P / (Y Z) + s A) / (M - (1 - s) A)⌉ = ⌈({} + {} × {}) / ({} - {} × {})⌉ = {}",
           bytes_text(state), brief(s), bytes_text(a), bytes_text(plan.chip.memory_bytes),
           brief(1 - s), bytes_text(a), grouped(real(fsdp)));
}

void add_smallest(const Plan& plan, FigureList& list) {
  const auto fsdp = smallest_fsdp(plan);
  const Degrees& n = plan.degrees;
  if (!fsdp) {
    list.add("fsdp_that_fits", kNever, "none: the unsharded part already exceeds {}",
             bytes_text(plan.chip.memory_bytes));
    list.add("devices_that_fit", kNever, "none");
    return;
  }
  if (plan.tokens_per_device) {
    add_closed_form(plan, *fsdp, list);
  } else {
    Plan at = plan;
    at.degrees.fsdp = *fsdp;
    list.add("fsdp_that_fits", real(*fsdp), "the smallest X that fits: a device holds {} of {}",
             bytes_text(memory(at).total()), bytes_text(plan.chip.memory_bytes));
  }
  const double devices = real(*fsdp * n.data * n.tensor * n.pipeline);
  list.add("devices_that_fit", devices, "R X Y Z = {} × {} × {} × {} = {}", n.data, *fsdp, n.tensor,
           n.pipeline, grouped(devices));
}

}  // namespace

void add_memory(const Plan& plan, FigureList& list) {
  add_parameters(plan.model, list);
  add_whole(plan, list);
  add_per_device(plan, list);
  add_smallest(plan, list);
}

}  // namespace sweepd::parallelism
