// The gradient average of data parallel training: after it, every rank's gradients are the average
// over all ranks. The strategies differ in its time and its pieces.
#pragma once

#include "workloads/torch/aten.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "workloads/dist/buckets.h"
#include "workloads/dist/ready_hooks.h"
#include "workloads/torch/collectives.h"

namespace sweepd {

struct AverageOptions {
  enum class Moment { kAfterBackward, kDuringBackward };
  static constexpr std::int64_t kEachByItself = 0;
  static constexpr std::int64_t kAllTogether = std::numeric_limits<std::int64_t>::max();

  Moment moment = Moment::kAfterBackward;
  std::int64_t bucket_bytes = kAllTogether;
};

// "naive": each parameter after the backward. "flat": one buffer after it. "overlap": each
// parameter when its gradient is ready. "bucketed": buckets of `bucket_bytes` when they are full.
// Throws std::invalid_argument for any other name.
AverageOptions average_options_from(std::string_view strategy, std::int64_t bucket_bytes);

// Buckets contain parameters from the last to the first, the order in which a backward reaches
// them, and are sent in that order on every rank. A bucket is one flat buffer, and the gradients
// become views of it. The copy into it also divides by the world size, so that nothing is copied
// back. A parameter alone is sent from its gradient's memory.
class GradientAverage {
 public:
  // Frozen parameters are skipped; one that is listed twice (tied) counts once. `collectives` and
  // `device` must outlive this object.
  GradientAverage(AverageOptions options, const std::vector<at::Tensor>& parameters,
                  Collectives& collectives, Device& device);

  // Call after the backward. Returns when every gradient is the average (CPU) or the current stream
  // waits for it (CUDA). A parameter that this rank's backward did not use counts as zero.
  void finish();

  // Times in the last step; call after a synchronise. A bucket's time is that of its collective
  // alone.
  std::vector<BucketTime> times() const;
  std::int64_t total_bytes() const;
  std::int64_t copied_bytes() const;        // into the buffers, per step
  std::vector<at::Tensor> buffers() const;  // they live as long as this object

 private:
  struct Bucket {
    std::vector<std::size_t> members;  // of parameters_
    at::Tensor buffer;                 // flat; undefined for a parameter alone
    std::vector<at::Tensor> views;     // of the buffer, one per member
    std::size_t ready = 0;             // members with a gradient in this step
    std::shared_ptr<Pending> pending;
    std::int64_t bytes = 0;
  };
  struct Place {
    std::size_t bucket = 0, member = 0;
  };

  // Makes a flat buffer where these collectives move it best; null: a parameter alone.
  void add_bucket(std::vector<std::size_t> members, Collectives* flat_for);
  void on_ready(std::size_t parameter);
  void send_full();  // sends the next buckets as long as they are full
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
