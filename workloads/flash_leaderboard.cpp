// The public FlashAttention-2 leaderboard's benchmark, by its rules: O = attention(Q, K, V),
// causal; the sum of O; backward into Q, K and V, whose gradients accumulate from step to step.
// Timed as triton.testing.do_bench does: warm-up by time, the caches flushed before each repetition
// outside its timing, the mean of all. `min_time` is the time of the repetitions.
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>
#include "workloads/torch/aten.h"

#include <cmath>
#include <stdexcept>

#include "runner/base/clock.h"
#include "workloads/api/plugin.h"
#include "workloads/nn/attention.h"
#include "workloads/nn/attention_check.h"
#include "workloads/nn/attention_params.h"
#include "workloads/nn/held.h"
#include "workloads/nn/numerics.h"
#include "workloads/nn/torch_device.h"

namespace sweepd {
namespace {

struct FlashLeaderboardParams {
  std::string implementation = "flash";
  std::int64_t batch = 1;
  std::int64_t heads = 16;
  std::int64_t sequence = 16384;
  std::int64_t d_head = 64;
  std::string dtype = "bf16";
  Duration warmup_time = seconds(1);
  Bytes flush = 256_MiB;

  void visit(auto& field) {
    field("implementation", implementation, "flash: this project's own; sdpa_*: torch's, pinned",
          one_of({"flash", "naive", "sdpa_flash", "sdpa_efficient", "sdpa_cudnn"}), Matters());
    field("batch", batch, "sequences of one step", at_least(1), at_most(1 << 20), Matters());
    field("heads", heads, "heads of each sequence", at_least(1), at_most(4096), Matters());
    field("sequence", sequence, "rows of Q, K and V", at_least(1), at_most(1 << 22), Matters());
    field("d_head", d_head, "columns of Q, K and V", at_least(1), at_most(1024), Matters());
    field("dtype", dtype,
          "type of Q, K, V and the gradients; fp32 is never TF32; 3xtf32: see `attention`",
          one_of({"fp32", "3xtf32", "fp16", "bf16"}), Matters());
    field("warmup_time", warmup_time,
          "steps run for at least this long, flushes included, before the first step that counts",
          Immaterial());
    field(
        "flush", flush,
        "bytes written between steps, so that no step finds its inputs in a cache; at least twice "
        "the last-level cache; 0 is no flush",
        at_least(0));
  }
};

AttentionParams attention_params(const FlashLeaderboardParams& params) {
  AttentionParams same;
  same.implementation = params.implementation;
  same.batch = params.batch;
  same.heads = params.heads;
  same.sequence = params.sequence;
  same.d_head = params.d_head;
  same.dtype = params.dtype;
  same.causal = true;
  same.mode = "both";
  return same;
}

class FlashLeaderboard final : public Workload {
 public:
  using Params = FlashLeaderboardParams;
  static constexpr std::string_view kHelp =
      "Causal attention forward and backward by the rule of the public FlashAttention-2 "
      "leaderboard, caches flushed between steps";
  static constexpr int kVersion = 3;
  static constexpr std::string_view kPhases[] = {"forward", "backward"};
  static constexpr std::string_view kPasses[] = {"timing", "memory", "profile"};

  // The work of attention; the sum of O and the sums of gradients are not counted.
  static WorkPerStep work(const Params& params, const RunParams&) {
    return work_of(attention_params(params));
  }

  FlashLeaderboard(const Params& params, Context& context)
      : device_(context.device),
        seed_(context.run.seed),
        timed_(context.pass == Pass::kTiming),
        warmup_time_(params.warmup_time),
        flush_(params.flush),
        shape_{params.heads,
               params.sequence,
               params.d_head,
               AttentionMask::kCausal,
               {},
               products_from(params.dtype)},
        attention_(attention_from(params.implementation), shape_, tensor_type_from(params.dtype),
                   torch_device(context.device), Gradients::kOn) {
    if (context.run.flush_cache != "none") {
      throw std::invalid_argument(
          "flush_cache: `flash_leaderboard` flushes by its own rule, the parameter `flush`; "
          "expected `none`");
    }
    const at::Device device = torch_device(context.device);
    prepare_precision(Precision::kFp32, device);  // no TF32
    at::Generator random = seeded_generator(device, seed_);
    const auto options = at::TensorOptions().device(device).dtype(tensor_type_from(params.dtype));
    for (at::Tensor* tensor : {&q_, &k_, &v_}) {
      *tensor = at::empty({params.batch, params.heads, params.sequence, params.d_head}, options)
                    .normal_(0, 1, random);
      tensor->requires_grad_(true);
    }
  }

  void step(Phases& phases) override {
    const c10::AutoGradMode gradients(true);
    phases.enter("forward");
    const at::Tensor o = attention_(q_, k_, v_);
    phases.enter("backward");
    torch::autograd::backward({o.sum()}, {});
  }

  // As do_bench does: the host issues the step while the device still writes.
  void before_step() override { flush(); }

  std::optional<Check> check() override {
    if (!timed_) return std::nullopt;  // would leave its blocks in the memory pass's figures
    const double scale = 1 / std::sqrt(static_cast<double>(shape_.head_dim));
    const Check check = check_attention(
        attention_, {q_, k_, v_, shape_.mask, scale, shape_.products}, Gradients::kOn, seed_);
    if (check.passed) warm_up();
    return check;
  }

  std::vector<HeldTensor> state() const override {
    std::vector<HeldTensor> state;
    for (const auto& [name, tensor] : {std::pair("q", q_), {"k", k_}, {"v", v_}}) {
      add_held(state, HeldTensor::Kind::kOther, name, tensor);
      add_held(state, HeldTensor::Kind::kGradients, std::string("d") + name, tensor.grad());
    }
    return state;
  }

  void facts(Facts& facts) override {
    facts.number("flush_bytes", static_cast<double>(flushed_.value));
  }

 private:
  void warm_up() {
    NoPhases none;
    const Instant begin = now_instant();
    while ((now_instant() - begin).ns < warmup_time_.ns) {
      flush();
      step(none);
      device_.synchronize();
    }
  }

  // The buffer would be part of every figure of the memory pass.
  void flush() {
    if (timed_ && flush_.value > 0) flushed_ = device_.flush_cache(flush_);
  }

  Device& device_;
  std::int64_t seed_;
  bool timed_;
  Duration warmup_time_;
  Bytes flush_, flushed_;  // at least, and at the last flush
  AttentionShape shape_;
  Attention attention_;
  at::Tensor q_, k_, v_;  // [B, h, S, d]
};

REGISTER_WORKLOAD("flash_leaderboard", FlashLeaderboard);

}  // namespace
}  // namespace sweepd
