// One collective operation over the ranks of a trial: its latency, and its bandwidths as nccl-tests
// defines them. Process start, rendezvous and filling the buffers are samples of the set-up and
// never inside a step. The result of every step is checked to the last element after it.
#include <fmt/format.h>
#include "workloads/torch/aten.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "runner/base/clock.h"
#include "workloads/api/plugin.h"
#include "workloads/dist/collective_bytes.h"
#include "workloads/dist/test_values.h"
#include "workloads/nn/dtype_names.h"
#include "workloads/nn/torch_device.h"
#include "workloads/torch/collectives.h"

namespace sweepd {
namespace {

struct AllReduceParams {
  std::string op = "all_reduce";
  std::string backend = "gloo";
  Bytes bytes{1'000'000};
  std::string dtype = "fp32";
  bool in_place = true;

  void visit(auto& field) {
    field("op", op, "which collective; broadcast is from rank 0",
          one_of({"all_reduce", "all_gather", "reduce_scatter", "broadcast"}), Matters());
    field("backend", backend,
          "the backend that moves the data: gloo (CPU, TCP over the loopback interface), shm (CPU, "
          "shared "
          "memory), nccl (one GPU per rank)",
          one_of({"gloo", "shm", "nccl"}), Matters());
    field("bytes", bytes,
          "size as nccl-tests defines it: of the tensor, for all_gather of the output, for "
          "reduce_scatter of the input; rounded down to whole elements for each rank",
          at_least(1), Matters());
    field("dtype", dtype, "type of the elements", one_of({"fp32", "fp64", "bf16", "fp16"}),
          Matters());
    field("in_place", in_place,
          "input and output share memory; otherwise all_reduce and broadcast copy first, inside "
          "the step");
  }
};

std::int64_t element_bytes(const AllReduceParams& params) {
  return static_cast<std::int64_t>(c10::elementSize(scalar_type_from(params.dtype)));
}

std::int64_t elements_of(const AllReduceParams& params, std::int64_t ranks) {
  return collective_elements(collective_op_from(params.op), params.bytes.value,
                             element_bytes(params), ranks);
}

// The input and output of an operation. If it has parts, one of the two is n parts long and the
// other is one.
struct Buffers {
  at::Tensor input, output;
};

Buffers make_buffers(CollectiveOp op, bool in_place, std::int64_t elements, Collectives& all,
                     const at::TensorOptions& options) {
  const at::Tensor whole = all.empty({elements}, options);
  const std::int64_t part = elements / all.world_size();
  const auto one_part = [&] {
    return in_place ? whole.narrow(0, all.rank() * part, part) : all.empty({part}, options);
  };
  switch (op) {
    case CollectiveOp::kAllGather:
      return {one_part(), whole};
    case CollectiveOp::kReduceScatter:
      return {whole, one_part()};
    default:
      return {whole, in_place ? whole : all.empty({elements}, options)};
  }
}

class AllReduce final : public Workload {
 public:
  using Params = AllReduceParams;
  static constexpr std::string_view kHelp =
      "A collective operation over the ranks of a trial: time, algbw and busbw, every result "
      "checked";
  static constexpr int kVersion = 1;

  static WorkPerStep work(const Params& params, const RunParams& run) {
    const CollectiveOp op = collective_op_from(params.op);
    const auto size =
        static_cast<double>(elements_of(params, run.world_size) * element_bytes(params));
    WorkPerStep work;
    work.arithmetic = params.dtype;
    const bool nothing_moves = run.world_size == 1 && params.in_place;
    work.phases.push_back(
        {"step", 0, nothing_moves ? 0 : least_memory_traffic(op, size, run.world_size)});
    work.figures.push_back({"size_bytes", size, "whole elements, a whole number for each rank"});
    work.figures.push_back({"bus_factor", bus_factor(op, run.world_size), formula_of(op)});
    return work;
  }

  AllReduce(const Params& params, Context& context)
      : op_(collective_op_from(params.op)),
        in_place_(params.in_place),
        all_(make_collectives(params.backend, context)),
        timeline_(context.device.timeline(2)),
        values_(context.world_size, options_of(params, context)) {
    const std::int64_t elements = elements_of(params, context.world_size);
    if (elements == 0) {
      throw std::invalid_argument(
          fmt::format("bytes: {} are less than one {} element for each of {} ranks",
                      params.bytes.value, params.dtype, context.world_size));
    }
    size_bytes_ = static_cast<double>(elements * element_bytes(params));
    const Instant begin = now_instant();
    buffers_ = make_buffers(op_, in_place_, elements, *all_, options_of(params, context));
    fill();
    context.device.synchronize();
    if (context.setup != nullptr) {
      const auto took = static_cast<double>((now_instant() - begin).ns) / 1e6;
      context.setup->add("setup", "fill_time", took);
    }
  }

  Gang* gang() override { return all_.get(); }

  void step(Phases&) override {
    timeline_->clear();
    timeline_->mark();
    run();
    timeline_->mark();
  }

  // Adds bandwidths from the slowest rank's time, the same on all ranks (none if there is one
  // rank), and prepares the next step.
  void after_step(Samples& samples) override {
    const double slowest_ms = all_->largest(timeline_->elapsed_ms(0, 1));
    // One rank sends nothing, and NCCL does nothing then: a bandwidth would be the size divided by
    // the time of a call.
    if (all_->world_size() > 1) {
      const double algbw = slowest_ms > 0 ? size_bytes_ / (slowest_ms * 1e-3) * 1e-9 : 0;
      samples.add("step", "algbw", algbw);
      samples.add("step", "busbw", algbw * bus_factor(op_, all_->world_size()));
    }
    inspect();
    fill();
  }

  std::optional<Check> check() override {
    run();
    inspect();
    fill();
    return Check{wrong_ == 0, static_cast<double>(wrong_), complaint()};
  }

  void facts(Facts& facts) override {
    facts.number("wrong", static_cast<double>(wrong_));
    facts.number("checked", static_cast<double>(checked_));
    facts.text("backend", all_->backend());
    if (wrong_ > 0) throw std::runtime_error(complaint());
  }

 private:
  static at::TensorOptions options_of(const Params& params, const Context& context) {
    return at::TensorOptions()
        .device(torch_device(context.device))
        .dtype(scalar_type_from(params.dtype));
  }

  static std::string formula_of(CollectiveOp op) {
    switch (op) {
      case CollectiveOp::kAllReduce:
        return "2 (n - 1) / n";
      case CollectiveOp::kBroadcast:
        return "1";
      default:
        return "(n - 1) / n";
    }
  }

  void run() {
    const auto& [input, output] = buffers_;
    switch (op_) {
      case CollectiveOp::kAllReduce:
        if (!in_place_) output.copy_(input, /*non_blocking=*/true);
        return all_->all_reduce(output);
      case CollectiveOp::kAllGather:
        return all_->all_gather(output, input);
      case CollectiveOp::kReduceScatter:
        return all_->reduce_scatter(output, input);
      case CollectiveOp::kBroadcast:
        if (!in_place_ && all_->rank() == 0) output.copy_(input, /*non_blocking=*/true);
        return all_->broadcast(output, 0);
    }
  }

  // Fills the output first: it must not still contain the last step's result, and may share memory.
  void fill() {
    buffers_.output.fill_(-1);
    values_.fill(buffers_.input, all_->rank());
  }

  void inspect() {
    const at::Tensor& output = buffers_.output;
    checked_ += output.numel();
    const std::int64_t part = output.numel() / all_->world_size();
    switch (op_) {
      case CollectiveOp::kAllReduce:
        wrong_ += values_.count_wrong_sums(output);
        break;
      case CollectiveOp::kAllGather:
        for (int rank = 0; rank < all_->world_size(); ++rank) {
          wrong_ += values_.count_wrong(output.narrow(0, rank * part, part), rank);
        }
        break;
      case CollectiveOp::kReduceScatter:
        wrong_ += values_.count_wrong_sums(output, all_->rank() * output.numel());
        break;
      case CollectiveOp::kBroadcast:
        wrong_ += values_.count_wrong(output, 0);
        break;
    }
  }

  std::string complaint() const {
    if (wrong_ == 0) return "";
    return fmt::format("{} of {} elements that rank {} checked are wrong", wrong_, checked_,
                       all_->rank());
  }

  CollectiveOp op_;
  bool in_place_;
  std::unique_ptr<Collectives> all_;
  std::unique_ptr<Timeline> timeline_;
  RankValues values_;
  double size_bytes_ = 0;
  Buffers buffers_;
  std::int64_t wrong_ = 0, checked_ = 0;  // elements of this rank, over all steps
};

REGISTER_WORKLOAD("all_reduce", AllReduce);

}  // namespace
}  // namespace sweepd
