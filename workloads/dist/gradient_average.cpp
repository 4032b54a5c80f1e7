#include "workloads/dist/gradient_average.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "workloads/dist/communication_queue.h"
#include "workloads/dist/named_operation.h"

namespace sweepd {
namespace {

using Moment = AverageOptions::Moment;

// Returns the trained parameters, each once, the last one first.
std::vector<at::Tensor> trained_backwards(const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> trained;
  for (auto it = parameters.rbegin(); it != parameters.rend(); ++it) {
    const auto same = [&](const at::Tensor& other) { return other.is_same(*it); };
    if (it->requires_grad() && std::none_of(trained.begin(), trained.end(), same)) {
      trained.push_back(*it);
    }
  }
  return trained;
}

std::int64_t bytes_of(const at::Tensor& tensor) {
  return static_cast<std::int64_t>(tensor.nbytes());
}

}  // namespace

AverageOptions average_options_from(std::string_view strategy, std::int64_t bucket_bytes) {
  if (strategy == "naive") return {Moment::kAfterBackward, AverageOptions::kEachByItself};
  if (strategy == "flat") return {Moment::kAfterBackward, AverageOptions::kAllTogether};
  if (strategy == "overlap") return {Moment::kDuringBackward, AverageOptions::kEachByItself};
  if (strategy == "bucketed") return {Moment::kDuringBackward, bucket_bytes};
  throw std::invalid_argument("strategy: `" + std::string(strategy) +
                              "` is unknown; expected naive, flat, overlap or bucketed");
}

GradientAverage::GradientAverage(AverageOptions options, const std::vector<at::Tensor>& parameters,
                                 Collectives& collectives, Device& device)
    : options_(options),
      share_(1.0 / collectives.world_size()),
      parameters_(trained_backwards(parameters)),
      places_(parameters_.size()),
      seen_(parameters_.size(), false) {
  const bool apart = options.bucket_bytes == AverageOptions::kEachByItself;
  std::vector<BucketItem> items;
  for (const at::Tensor& parameter : parameters_) {
    items.push_back({bytes_of(parameter), static_cast<int>(parameter.scalar_type())});
  }
  for (auto& members : fill_buckets(items, options.bucket_bytes)) {
    add_bucket(std::move(members), apart ? nullptr : &collectives);
  }
  if (options.moment == Moment::kAfterBackward) {
    queue_ = make_in_place_queue(collectives, device);
  } else {
    queue_ = make_communication_queue(collectives, device);
    hooks_.emplace(parameters_, [this](std::size_t parameter) { on_ready(parameter); });
  }
}

void GradientAverage::add_bucket(std::vector<std::size_t> members, Collectives* flat_for) {
  Bucket bucket;
  std::int64_t numel = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    places_[members[i]] = {buckets_.size(), i};
    bucket.bytes += bytes_of(parameters_[members[i]]);
    numel += parameters_[members[i]].numel();
  }
  if (flat_for != nullptr) {
    bucket.buffer =
        flat_for->empty({numel}, parameters_[members[0]].options().requires_grad(false));
    std::int64_t offset = 0;
    for (const std::size_t member : members) {
      const at::Tensor& parameter = parameters_[member];
      bucket.views.push_back(
          bucket.buffer.narrow(0, offset, parameter.numel()).view(parameter.sizes()));
      offset += parameter.numel();
    }
  }
  bucket.members = std::move(members);
  buckets_.push_back(std::move(bucket));
}

void GradientAverage::on_ready(std::size_t parameter) {
  const auto [index, member] = places_[parameter];
  Bucket& bucket = buckets_[index];
  at::Tensor& gradient = parameters_[parameter].mutable_grad();
  if (bucket.buffer.defined()) {
    at::mul_out(bucket.views[member], gradient, at::scalar_tensor(share_));
    gradient = bucket.views[member];  // frees the tensor that the backward made
  } else {
    if (!gradient.is_contiguous()) gradient = gradient.contiguous();
    gradient.mul_(share_);
  }
  seen_[parameter] = true;
  ++bucket.ready;
  if (options_.moment == Moment::kDuringBackward) send_full();
}

// Sends in order, also if a later bucket is full first: ranks whose backwards differ must make the
// same calls.
void GradientAverage::send_full() {
  while (next_ < buckets_.size() && buckets_[next_].ready == buckets_[next_].members.size()) {
    send(buckets_[next_++]);
  }
}

void GradientAverage::send(Bucket& bucket) {
  const at::Tensor tensor =
      bucket.buffer.defined() ? bucket.buffer : parameters_[bucket.members[0]].grad();
  bucket.pending =
      queue_->submit(named_operation("collective::all_reduce", [tensor](Collectives& collectives) {
        collectives.all_reduce(tensor);
      }));
}

void GradientAverage::finish() {
  const c10::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (seen_[i]) continue;
    at::Tensor& gradient = parameters_[i].mutable_grad();
    if (!gradient.defined()) gradient = at::zeros_like(parameters_[i]);
    on_ready(i);
    if (options_.moment == Moment::kAfterBackward) send_full();
  }
  for (Bucket& bucket : buckets_) {
    bucket.pending->wait();
    bucket.ready = 0;
  }
  std::fill(seen_.begin(), seen_.end(), false);
  next_ = 0;
}

std::vector<BucketTime> GradientAverage::times() const {
  std::vector<BucketTime> times;
  for (const Bucket& bucket : buckets_) {
    if (bucket.pending) times.push_back({bucket.bytes, bucket.pending->elapsed_ms()});
  }
  return times;
}

std::int64_t GradientAverage::total_bytes() const {
  return std::accumulate(buckets_.begin(), buckets_.end(), std::int64_t{0},
                         [](std::int64_t sum, const Bucket& one) { return sum + one.bytes; });
}

std::int64_t GradientAverage::copied_bytes() const {
  return std::accumulate(buckets_.begin(), buckets_.end(), std::int64_t{0},
                         [](std::int64_t sum, const Bucket& one) {
                           return sum + (one.buffer.defined() ? one.bytes : 0);
                         });
}

std::vector<at::Tensor> GradientAverage::buffers() const {
  std::vector<at::Tensor> buffers;
  for (const Bucket& bucket : buckets_) {
    if (bucket.buffer.defined()) buffers.push_back(bucket.buffer);
  }
  return buffers;
}

}  // namespace sweepd
