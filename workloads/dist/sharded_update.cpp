#include "workloads/dist/sharded_update.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <utility>

#include "workloads/dist/buckets.h"
#include "workloads/dist/communication_queue.h"
#include "workloads/dist/named_operation.h"

namespace sweepd {

ShardedUpdate::ShardedUpdate(Sharding sharding, AdamWKind kind, const AdamWOptions& options,
                             const std::vector<at::Tensor>& parameters, std::int64_t bucket_bytes,
                             Collectives& collectives, Device& device)
    : sharding_(sharding),
      share_(1.0 / collectives.world_size()),
      queue_(make_in_place_queue(collectives, device)) {
  std::vector<BucketItem> items;
  for (const at::Tensor& parameter : parameters) {
    items.push_back(
        {static_cast<std::int64_t>(parameter.nbytes()), static_cast<int>(parameter.scalar_type())});
  }
  std::vector<at::Tensor> parts;
  std::int64_t largest = 0;
  for (const std::vector<std::size_t>& members : fill_buckets(items, bucket_bytes)) {
    std::vector<at::Tensor> own;
    for (const std::size_t member : members) own.push_back(parameters[member]);
    FlatGroup group(std::move(own), sharding == Sharding::kOn ? collectives.rank() : 0,
                    sharding == Sharding::kOn ? collectives.world_size() : 1);
    const at::Tensor weights = collectives.empty({group.numel()}, group.options());
    group.move_into(weights);
    largest = std::max(largest, group.numel());
    parts.push_back(group.part(weights));
    buckets_.push_back({std::move(group), weights, parts.back()});
  }
  if (sharding == Sharding::kOn) {
    buffer_ = collectives.empty({largest}, buckets_[0].group.options());
  }
  optimizer_ = std::make_unique<AdamW>(kind, options, std::move(parts));
}

void ShardedUpdate::send(const char* name, std::function<void(Collectives&)> operation) {
  sent_.push_back(queue_->submit(named_operation(name, std::move(operation))));
}

void ShardedUpdate::reduce() {
  const c10::NoGradGuard no_grad;
  sent_.clear();
  for (Bucket& bucket : buckets_) {
    const at::Tensor mine = at::empty_like(bucket.part);
    bucket.part.mutable_grad() = mine;
    if (sharding_ == Sharding::kOff) {
      bucket.group.take_gradients(mine, share_);
      send("collective::all_reduce", [mine](Collectives& ranks) { ranks.all_reduce(mine); });
      continue;
    }
    const at::Tensor all = buffer_.narrow(0, 0, bucket.group.numel());
    bucket.group.take_gradients(all, share_);
    send("collective::reduce_scatter",
         [mine, all](Collectives& ranks) { ranks.reduce_scatter(mine, all); });
  }
}

void ShardedUpdate::update(LossScaler* scaler) {
  if (scaler == nullptr) return optimizer_->step();
  const at::Tensor found_inf = scaler->unscale(optimizer_->gradients());
  if (sharding_ == Sharding::kOn) {
    // An overflow in one rank's part must prevent this update on all ranks.
    const at::Tensor found = found_inf.view({1});
    send("collective::all_reduce", [found](Collectives& ranks) { ranks.all_reduce(found); });
    found.clamp_max_(1);
  }
  optimizer_->step(found_inf);
  scaler->update();
}

void ShardedUpdate::gather() {
  if (sharding_ == Sharding::kOff) return;
  for (Bucket& bucket : buckets_) {
    send("collective::all_gather", [all = bucket.weights, mine = bucket.part](Collectives& ranks) {
      ranks.all_gather(all, mine);
    });
  }
}

double ShardedUpdate::communication_ms() const {
  double sum = 0;
  for (const auto& pending : sent_) sum += pending->elapsed_ms();
  return sum;
}

std::vector<at::Tensor> ShardedUpdate::weights() const {
  std::vector<at::Tensor> weights;
  for (const Bucket& bucket : buckets_) weights.push_back(bucket.weights);
  return weights;
}

std::vector<at::Tensor> ShardedUpdate::gradients() const {
  return optimizer_->gradients();
}

}  // namespace sweepd
