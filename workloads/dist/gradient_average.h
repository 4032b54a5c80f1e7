// Data parallel training's one addition to a step: after it every rank's gradients are the average
// of all ranks'. When that happens, and in which pieces, is what the strategies differ in.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "workloads/dist/buckets.h"
#include "workloads/dist/collectives.h"
#include "workloads/dist/ready_hooks.h"

namespace sweepd {

struct AverageOptions {
  enum class Moment { kAfterBackward, kDuringBackward };
  static constexpr std::int64_t kEachByItself = 0;
  static constexpr std::int64_t kAllTogether = std::numeric_limits<std::int64_t>::max();

  Moment moment = Moment::kAfterBackward;
  std::int64_t bucket_bytes = kAllTogether;
};

// "naive": each parameter after the backward. "flat": one buffer after it. "overlap": each
// parameter as its gradient is ready. "bucketed": buckets of `bucket_bytes`, as they are full.
// Throws std::invalid_argument for another name.
AverageOptions average_options_from(std::string_view strategy, std::int64_t bucket_bytes);

// Buckets take parameters from the last to the first, as a backward comes to them, and go out in
// that order on every rank. A bucket is one flat buffer; the gradients become views into it, and
// the copy into it is the division by the world size, so that nothing is copied back. A parameter
// by itself is sent from where its gradient is.
class GradientAverage {
 public:
  // Frozen parameters take no part; one that is listed twice (tied) counts once. `collectives` and
  // `device` must outlive this.
  GradientAverage(AverageOptions options, const std::vector<at::Tensor>& parameters,
                  Collectives& collectives, Device& device);

  // After the backward; returns when every gradient is the average (CPU) or the current stream
  // waits for it (CUDA). A parameter that this rank's backward did not use counts as zero.
  void finish();

  // Of the last step, after a synchronise: a bucket's time is that of its collective alone.
  std::vector<BucketTime> times() const;
  std::int64_t total_bytes() const;
  std::int64_t copied_bytes() const;        // into the buffers, in a step
  std::vector<at::Tensor> buffers() const;  // which live as long as this

 private:
  struct Bucket {
    std::vector<std::size_t> members;  // of parameters_
    at::Tensor buffer;                 // flat; undefined for a parameter by itself
    std::vector<at::Tensor> views;     // into the buffer, one a member
    std::size_t ready = 0;             // members whose gradient is there, in this step
    std::shared_ptr<Pending> pending;
    std::int64_t bytes = 0;
  };
  struct Place {
    std::size_t bucket = 0, member = 0;
  };

  // With a flat buffer where these collectives move it best; null: a parameter by itself.
  void add_bucket(std::vector<std::size_t> members, Collectives* flat_for);
  void on_ready(std::size_t parameter);
  void send_full();  // every bucket that is next and full
  void send(Bucket& bucket);

  AverageOptions options_;
  double share_;  // 1 / world size
  std::vector<at::Tensor> parameters_;
  std::vector<Place> places_;  // by parameter
  std::vector<bool> seen_;     // by parameter, in this step
  std::vector<Bucket> buckets_;
  std::size_t next_ = 0;  // bucket to send
  std::unique_ptr<CommunicationQueue> queue_;
  std::optional<ReadyHooks> hooks_;  // kDuringBackward
};

}  // namespace sweepd
