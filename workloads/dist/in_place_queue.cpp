#include "workloads/dist/in_place_queue.h"

#include "runner/base/clock.h"
#include "workloads/dist/stream_queue.h"

namespace sweepd {
namespace {

class Done final : public Pending {
 public:
  explicit Done(double elapsed_ms) : elapsed_ms_(elapsed_ms) {}
  void wait() override {}
  double elapsed_ms() override { return elapsed_ms_; }

 private:
  double elapsed_ms_;
};

class InPlaceQueue final : public CommunicationQueue {
 public:
  explicit InPlaceQueue(Collectives& collectives) : collectives_(collectives) {}
  std::shared_ptr<Pending> submit(std::function<void(Collectives&)> operation) override {
    const Instant begin = now_instant();
    operation(collectives_);
    return std::make_shared<Done>(static_cast<double>((now_instant() - begin).ns) / 1e6);
  }

 private:
  Collectives& collectives_;
};

}  // namespace

std::unique_ptr<CommunicationQueue> make_in_place_queue(Collectives& collectives, Device& device) {
  if (device.kind() == "cuda") return make_stream_queue(collectives, device, QueueStream::kCurrent);
  return std::make_unique<InPlaceQueue>(collectives);
}

}  // namespace sweepd
