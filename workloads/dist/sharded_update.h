// AdamW whose state is sharded over the ranks (ZeRO stage 1, Rajbhandari et al., arXiv:1910.02054):
// every rank has all weights and computes all gradients, but keeps only the moments of its part. A
// step sends as much as data parallel training does, because an all-reduce is a reduce-scatter and
// an all-gather.
#pragma once

#include "workloads/torch/aten.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "workloads/dist/flat_group.h"
#include "workloads/nn/adamw.h"
#include "workloads/nn/loss_scaler.h"
#include "workloads/torch/collectives.h"

namespace sweepd {

enum class Sharding { kOff, kOn };

class ShardedUpdate {
 public:
  // kOff is the baseline. It differs only in that each rank's part is the whole, so that gradients
  // are all-reduced and nothing is gathered.
  //
  // Moves the parameters, which have one type, are all trained and are listed once each, into flat
  // tensors of at most `bucket_bytes` (more for a larger parameter), so that no step needs a second
  // copy of all gradients. `collectives` and `device` must outlive this object.
  ShardedUpdate(Sharding sharding, AdamWKind kind, const AdamWOptions& options,
                const std::vector<at::Tensor>& parameters, std::int64_t bucket_bytes,
                Collectives& collectives, Device& device);

  // Call after the backward, in this order. `reduce` computes the average of this rank's part and
  // frees the gradients. `update` computes the new weights of this rank's part (`scaler` is null
  // except for fp16). `gather` gives all ranks' weights to every rank.
  void reduce();
  void update(LossScaler* scaler);
  void gather();

  double communication_ms() const;            // of the last step; call after a synchronise
  std::vector<at::Tensor> weights() const;    // flat, by bucket
  std::vector<at::Tensor> gradients() const;  // of this rank's part, by bucket; none after `update`
  const at::Tensor& buffer() const { return buffer_; }  // for a bucket's gradients; none if kOff
  const AdamW& optimizer() const { return *optimizer_; }

 private:
  struct Bucket {
    FlatGroup group;
    at::Tensor weights;  // flat, of all ranks
    at::Tensor part;     // this rank's part of them; its gradient is set by `reduce`
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
