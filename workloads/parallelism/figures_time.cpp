#include <algorithm>

#include "workloads/parallelism/figure_list.h"

namespace sweepd::parallelism {
namespace {

void add_compute(const Plan& plan, const Times& t, FigureList& list) {
  const double flops = plan.model.flops_per_token();
  const int u = plan.timed == Timed::kForward ? 1 : 3;
  const std::string per_token = plan.model.parts == Parts::kFfn
                                    ? fmt::format("{} D F L", 2 * plan.model.matrices)
                                    : std::string("FLOPs of a token");
  list.add("compute_ms", t.compute_s * 1e3, "{}{} B / (N C) = {} × {} × {} / ({} × {}) = {}",
           u == 1 ? "" : "3 × ", per_token, u, brief(flops), brief(plan.total_tokens()),
           plan.degrees.devices(), brief(plan.chip.flops_per_s), time_text(t.compute_s));
}

void add_fsdp(const Plan& plan, const Times& t, FigureList& list) {
  const Degrees& n = plan.degrees;
  if (n.fsdp == 1) return list.add("fsdp_ms", 0, "X = 1: nothing is sharded");
  const int gathers = plan.timed == Timed::kForward ? 1 : 3;
  list.add("fsdp_ms", t.fsdp_s * 1e3,
           "g m e P / (Y Z W M_X) = {} × {} × {} × {} / ({} × {} × {} × {}) = {}", gathers,
           plan.microbatches, brief(plan.operand_bytes), grouped(real(plan.model.parameters())),
           n.tensor, n.pipeline, rate_text(plan.chip.link_bytes_per_s), plan.axes.fsdp,
           time_text(t.fsdp_s));
}

void add_tensor(const Plan& plan, const Times& t, FigureList& list) {
  const Degrees& n = plan.degrees;
  if (n.tensor == 1) return list.add("tensor_ms", 0, "Y = 1: every matrix is whole");
  const std::int64_t pairs =
      plan.model.tensor_pairs_per_block() * (plan.timed == Timed::kForward ? 1 : 2);
  list.add("tensor_ms", t.tensor_s * 1e3,
           "h 2 e B D L / (R X Z W M_Y) = {} × 2 × {} × {} × {} × {} / ({} × {} × {} × {} × {}) = "
           "{}",
           pairs, brief(plan.operand_bytes), brief(plan.total_tokens()),
           grouped(real(plan.model.d_model)), plan.model.layers, n.data, n.fsdp, n.pipeline,
           rate_text(plan.chip.link_bytes_per_s), plan.axes.tensor, time_text(t.tensor_s));
}

void add_data(const Plan& plan, const Times& t, FigureList& list) {
  const Degrees& n = plan.degrees;
  if (n.data == 1) return list.add("data_ms", 0, "R = 1: there is no other replica");
  if (plan.timed == Timed::kForward) {
    return list.add("data_ms", 0, "gradients are sent in the backward");
  }
  list.add("data_ms", t.data_s * 1e3,
           "2 e P / (X Y Z W M_R) = 2 × {} × {} / ({} × {} × {} × {} × {}) = {}",
           brief(plan.operand_bytes), grouped(real(plan.model.parameters())), n.fsdp, n.tensor,
           n.pipeline, rate_text(plan.chip.link_bytes_per_s), plan.axes.data, time_text(t.data_s));
}

void add_pipeline(const Plan& plan, const Times& t, FigureList& list) {
  const Degrees& n = plan.degrees;
  if (n.pipeline == 1) return list.add("pipeline_ms", 0, "Z = 1: one stage");
  list.add("pipeline_ms", t.pipeline_s * 1e3,
           "k e B D / (R X Y W M_Z) = {} × {} × {} × {} / ({} × {} × {} × {} × {}) = {}",
           plan.timed == Timed::kForward ? 1 : 2, brief(plan.operand_bytes),
           brief(plan.total_tokens()), grouped(real(plan.model.d_model)), n.data, n.fsdp, n.tensor,
           rate_text(plan.chip.link_bytes_per_s), plan.axes.pipeline, time_text(t.pipeline_s));
}

}  // namespace

void add_times(const Plan& plan, FigureList& list) {
  const Times t = times(plan);
  list.add("tokens", plan.total_tokens(), "B = {} on each of R X = {} × {}",
           brief(plan.tokens_on_device()), plan.degrees.data, plan.degrees.fsdp);
  list.add("devices", real(plan.degrees.devices()), "N = R X Y Z = {} × {} × {} × {}",
           plan.degrees.data, plan.degrees.fsdp, plan.degrees.tensor, plan.degrees.pipeline);
  add_compute(plan, t, list);
  add_fsdp(plan, t, list);
  add_tensor(plan, t, list);
  add_data(plan, t, list);
  add_pipeline(plan, t, list);
  const bool sums = plan.transfers == Transfers::kAdd;
  list.add("communication_ms", t.communication_s * 1e3, "{}{}, {}, {}, {}) = {}",
           sums ? "sum(" : "max(", time_text(t.fsdp_s), time_text(t.tensor_s), time_text(t.data_s),
           time_text(t.pipeline_s), time_text(t.communication_s));
  list.add("bubble_ms", t.bubble_s * 1e3, "T_math (Z - 1) / m = {} × {} / {} = {}",
           time_text(t.compute_s), plan.degrees.pipeline - 1, plan.microbatches,
           time_text(t.bubble_s));
  list.add("step_ms", t.step_s * 1e3, "max(T_math, T_comm) + bubble = max({}, {}) + {} = {}",
           time_text(t.compute_s), time_text(t.communication_s), time_text(t.bubble_s),
           time_text(t.step_s));
  list.add("compute_share", t.compute_s / t.step_s, "T_math / step: the most that MFU can be");
  list.add("bound", t.communication_s / t.compute_s, "{}", bound(t));
}

}  // namespace sweepd::parallelism
