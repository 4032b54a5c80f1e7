// AdamW whose state lies over the ranks (ZeRO stage 1, Rajbhandari et al., arXiv:1910.02054): every
// rank has all weights and makes all gradients, and keeps the moments of its part alone. A step
// sends as much as data parallel training does: an all-reduce is a reduce-scatter and an
// all-gather.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "workloads/dist/collectives.h"
#include "workloads/dist/flat_group.h"
#include "workloads/nn/adamw.h"
#include "workloads/nn/loss_scaler.h"

namespace sweepd {

enum class Sharding { kOff, kOn };

class ShardedUpdate {
 public:
  // kOff: what it is compared with, the same in everything but that each rank's part is the whole,
  // so that gradients are all-reduced and nothing is gathered.
  //
  // Moves the parameters, which are of one type, all trained and each listed once, into flat
  // tensors of at most `bucket_bytes` (but for a parameter that is larger): no step needs a second
  // copy of all gradients. `collectives` and `device` must outlive this.
  ShardedUpdate(Sharding sharding, AdamWKind kind, const AdamWOptions& options,
                const std::vector<at::Tensor>& parameters, std::int64_t bucket_bytes,
                Collectives& collectives, Device& device);

  // After the backward, in this order. `reduce` leaves the average of this rank's part and drops
  // the gradients; `update` the new weights of this rank's part (`scaler`: null but for fp16);
  // `gather` all ranks' weights on every rank.
  void reduce();
  void update(LossScaler* scaler);
  void gather();

  double communication_ms() const;            // of the last step, after a synchronise
  std::vector<at::Tensor> weights() const;    // flat, by bucket
  std::vector<at::Tensor> gradients() const;  // of this rank's part, by bucket; none after `update`
  const at::Tensor& buffer() const { return buffer_; }  // of a bucket's gradients; none when kOff
  const AdamW& optimizer() const { return *optimizer_; }

 private:
  struct Bucket {
    FlatGroup group;
    at::Tensor weights;  // flat, all ranks'
    at::Tensor part;     // of them: this rank's; its gradient is what `reduce` leaves
  };

  void send(const char* name, std::function<void(Collectives&)> operation);

  Sharding sharding_;
  double share_;  // 1 / world size
  std::vector<Bucket> buckets_;
  at::Tensor buffer_;  // flat: all ranks' parts of one bucket's gradients at a time
  std::unique_ptr<AdamW> optimizer_;
  std::unique_ptr<CommunicationQueue> queue_;
  std::vector<std::shared_ptr<Pending>> sent_;  // in this step
};

}  // namespace sweepd
