// Fully sharded data parallelism (ZeRO stage 3; PyTorch's FSDP, Zhao et al., arXiv:2304.11277): a
// rank keeps its part of every unit's weights, gradients and optimizer state. A whole unit exists
// only while it is needed: it is gathered before its forward and again before its backward, and
// freed after each. Its gradients are reduce-scattered as soon as they are complete.
#pragma once

#include "workloads/torch/aten.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "workloads/dist/exposed_clock.h"
#include "workloads/dist/flat_group.h"
#include "workloads/dist/ready_hooks.h"
#include "workloads/nn/adamw.h"
#include "workloads/nn/model.h"
#include "workloads/torch/collectives.h"

namespace sweepd {

// kOn: while a unit computes, the next one is gathered and the gradients of the previous one are
// sent. Then at most two units' weights and two units' gradients exist at once.
enum class Overlap { kOff, kOn };

// For a LanguageModel, of whose units it assumes three things: the first one, a lookup, needs no
// weights in its backward; the backward of the last one follows its forward at once, so it is not
// freed in between; and the gradients of a unit's norm, which precedes its products, come last.
class FullySharded final : public UnitObserver {
 public:
  // All must outlive this object. `clock` counts every wait, at most kMaxWaits per unit.
  FullySharded(Overlap overlap, Collectives& collectives, Device& device, ExposedClock& clock);
  static constexpr std::size_t kMaxWaits = 8;
  FullySharded(const FullySharded&) = delete;
  FullySharded& operator=(const FullySharded&) = delete;
  ~FullySharded() override;  // waits for running operations

  // ModelOptions::unit_made: keeps this rank's part of rank 0's weights and frees the rest.
  void add_unit(std::span<const NamedTensor> parameters);
  // Call after the last unit. Makes AdamW over this rank's parts.
  void make_optimizer(AdamWKind kind, const AdamWOptions& options);

  void begin_step();
  void before(std::size_t unit) override;
  void after(std::size_t unit, const at::Tensor& output) override;
  void finish();  // call after the backward: every part then has its gradient
  void update();

  double communication_ms() const;  // of the last step; call after a synchronise
  std::size_t collectives_sent() const { return sent_.size(); }  // in the last step
  std::vector<at::Tensor> parts() const;                         // weights, by unit
  const AdamW& optimizer() const { return *optimizer_; }
  // Gathers the whole weights of a unit for the caller, in its parameters' shapes. Collective.
  std::vector<at::Tensor> whole(std::size_t unit);

 private:
  struct Unit {
    FlatGroup group;
    at::Tensor flat;  // the parameters' storage; empty unless they are gathered
    at::Tensor part;  // this rank's part of the weights
    at::Tensor part_gradient = {};
    at::Tensor gradients = {};  // flat, all ranks' parts; exists while they are reduced
    std::size_t ready = 0;
    std::shared_ptr<Pending> gather = nullptr;  // running or complete
    std::shared_ptr<Pending> reduce = nullptr;  // running
    std::unique_ptr<ReadyHooks> hooks = nullptr;
  };

  std::shared_ptr<Pending> send(const char* name, std::function<void(Collectives&)> operation);
  void request(std::size_t unit);  // unless it is gathered or being gathered
  void gather(std::size_t unit, std::optional<std::size_t> next);
  void free_weights(Unit& unit);
  void before_backward(std::size_t unit);
  void on_ready(std::size_t unit);
  void reduce(Unit& unit);
  void end_reduce(Unit& unit);

  Overlap overlap_;
  Collectives& collectives_;
  ExposedClock& clock_;
  std::vector<Unit> units_;
  std::optional<std::size_t> reducing_;  // the unit whose gradients were sent last
  std::unique_ptr<AdamW> optimizer_;
  std::vector<std::shared_ptr<Pending>> sent_;  // in this step
  std::unique_ptr<CommunicationQueue> queue_;   // last: its operations use the others
};

}  // namespace sweepd
