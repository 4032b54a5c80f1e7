#include "workloads/dist/stream_queue.h"

#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <optional>

#include "workloads/nn/torch_device.h"

namespace sweepd {
namespace {

class Enqueued final : public Pending {
 public:
  explicit Enqueued(at::Device device)
      : device_(device),
        begin_(device.type(), c10::EventFlag::BACKEND_DEFAULT),  // records times
        end_(device.type(), c10::EventFlag::BACKEND_DEFAULT) {}

  void run(Collectives& collectives, const std::function<void(Collectives&)>& operation,
           const c10::Stream& stream) {
    begin_.record(stream);
    operation(collectives);
    end_.record(stream);
  }
  void wait() override {
    const c10::impl::VirtualGuardImpl guard(device_.type());
    end_.block(guard.getStream(device_));
  }
  double elapsed_ms() override { return begin_.elapsedTime(end_); }

 private:
  at::Device device_;
  c10::Event begin_, end_;
};

class StreamQueue final : public CommunicationQueue {
 public:
  StreamQueue(Collectives& collectives, at::Device device, QueueStream stream)
      : collectives_(collectives), device_(device), guard_(device.type()) {
    // High priority: work that waits for it leads to the next step, and work that it delays does
    // not.
    if (stream == QueueStream::kOwn) {
      own_ = guard_.getStreamFromGlobalPool(device, /*isHighPriority=*/true);
    }
  }
  StreamQueue(const StreamQueue&) = delete;
  StreamQueue& operator=(const StreamQueue&) = delete;
  ~StreamQueue() override {
    if (own_) guard_.synchronizeStream(*own_);
  }

  std::shared_ptr<Pending> submit(std::function<void(Collectives&)> operation) override {
    const c10::Stream current = guard_.getStream(device_);
    auto enqueued = std::make_shared<Enqueued>(device_);
    if (!own_) {
      enqueued->run(collectives_, operation, current);
      return enqueued;
    }
    c10::Event so_far(device_.type());
    so_far.record(current);
    so_far.block(*own_);
    const c10::StreamGuard side(*own_);
    enqueued->run(collectives_, operation, *own_);
    return enqueued;
  }

 private:
  Collectives& collectives_;
  at::Device device_;
  c10::impl::VirtualGuardImpl guard_;
  std::optional<c10::Stream> own_;
};

}  // namespace

std::unique_ptr<CommunicationQueue> make_stream_queue(Collectives& collectives,
                                                      const Device& device, QueueStream stream) {
  return std::make_unique<StreamQueue>(collectives, torch_device(device), stream);
}

}  // namespace sweepd
