// A device whose clock and memory a test scripts. Work is enqueued on a stream that runs beside the
// host, as on a GPU.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "runner/base/clock.h"
#include "workloads/api/device.h"
#include "workloads/api/workload.h"

namespace sweepd {

class FakeDevice : public Device {
 public:
  // The host spends `ms`.
  void host(double ms) { now_.ns += ns_of(ms); }
  // The stream will spend `ms` after its earlier work; the host does not wait.
  void enqueue(double ms) { idle_at_.ns = std::max(idle_at_, now_).ns + ns_of(ms); }
  void allocate(std::int64_t bytes) {
    allocated_ += bytes;
    peak_ = std::max(peak_, allocated_);
  }
  void free(std::int64_t bytes) { allocated_ -= bytes; }

  // Allocates blocks at addresses that the test chooses, and reports them to the recorder.
  void take(std::uintptr_t address, std::int64_t bytes, std::string_view operation = "") {
    allocate(bytes);
    sizes_[address] = bytes;
    tell(MemoryChange::Action::kAllocate, address, bytes, operation);
  }
  void give(std::uintptr_t address) {
    const std::int64_t bytes = sizes_.at(address);
    sizes_.erase(address);
    free(bytes);
    tell(MemoryChange::Action::kFree, address, bytes, "");
  }
  void cannot_record() { records_ = false; }
  bool recorded() const { return observer_ != nullptr; }

  Instant now() const { return now_; }
  int synchronized() const { return synchronized_; }

  std::string_view kind() const override { return "fake"; }
  int index() const override { return 0; }
  void synchronize() override {
    now_ = std::max(now_, idle_at_);
    ++synchronized_;
    calls.emplace_back("synchronise");
  }
  Bytes flush_cache(Bytes at_least) override {
    calls.emplace_back("flush");
    enqueue(7);
    return flush_size(60_MiB, at_least);
  }
  bool hold(Duration time) override {
    if (!has_queue) return false;
    holds.push_back(static_cast<double>(time.ns) / 1e6);
    enqueue(holds.back());
    calls.emplace_back("hold");
    return true;
  }
  bool has_queue = true;
  std::vector<double> holds;       // in ms
  std::vector<std::string> calls;  // of synchronize, flush_cache and hold
  std::unique_ptr<Timeline> timeline(std::size_t) override {
    return std::make_unique<FakeTimeline>(*this);
  }
  // Reserved bytes are rounded up to 1,000, as a caching allocator holds more than is live.
  MemoryUsage memory() override {
    return {{allocated_}, {peak_}, {round_up(allocated_)}, {round_up(peak_)}, {allocated_ + 7}};
  }
  void reset_peak_memory() override { peak_ = allocated_; }
  std::unique_ptr<MemoryRecording> record_memory(MemoryObserver& observer) override {
    if (!records_) return nullptr;
    return std::make_unique<FakeRecording>(*this, observer);
  }
  DeviceInfo info() override {
    DeviceInfo info;
    info.kind = "fake";
    info.name = "Fake 1";
    return info;
  }
  DeviceState state() override { return {}; }
  void fill_versions(Environment& environment) override { environment.torch_version = "fake 0"; }
  void rethrow_out_of_memory() override {}

 private:
  class FakeTimeline final : public Timeline {
   public:
    explicit FakeTimeline(FakeDevice& device) : device_(device) {}
    void clear() override { marks_.clear(); }
    // The time on the stream at which everything enqueued before it is done.
    void mark() override { marks_.push_back(std::max(device_.now_, device_.idle_at_)); }
    double elapsed_ms(std::size_t from, std::size_t to) override {
      // An event that the stream has not reached cannot be read.
      if (marks_.at(to) > device_.now_) throw std::logic_error("read before synchronize");
      return static_cast<double>((marks_.at(to) - marks_.at(from)).ns) / 1e6;
    }
    bool reached(std::size_t at) override { return marks_.at(at) <= device_.now_; }

   private:
    FakeDevice& device_;
    std::vector<Instant> marks_;
  };

  class FakeRecording final : public MemoryRecording {
   public:
    FakeRecording(FakeDevice& device, MemoryObserver& observer)
        : device_(device), before_{device.allocated_} {
      device_.observer_ = &observer;
    }
    ~FakeRecording() override { device_.observer_ = nullptr; }
    Bytes allocated_before() const override { return before_; }
    Bytes reserved_before() const override { return before_; }

   private:
    FakeDevice& device_;
    Bytes before_;
  };
  void tell(MemoryChange::Action action, std::uintptr_t address, std::int64_t bytes,
            std::string_view operation) {
    if (observer_ == nullptr) return;
    const auto* block = reinterpret_cast<const void*>(address);
    observer_->on_change({action, block, {bytes}, {allocated_}, {allocated_}, operation});
  }

  static std::int64_t ns_of(double ms) { return static_cast<std::int64_t>(ms * 1e6); }
  static std::int64_t round_up(std::int64_t n) { return (n + 999) / 1000 * 1000; }

  Instant now_{1'000'000'000}, idle_at_;
  std::int64_t allocated_ = 0, peak_ = 0;
  int synchronized_ = 0;
  std::map<std::uintptr_t, std::int64_t> sizes_;
  MemoryObserver* observer_ = nullptr;
  bool records_ = true;
};

// A workload that calls a function, for scripted steps.
class ScriptedWorkload final : public Workload {
 public:
  using Step = std::function<void(std::int64_t index, Phases&)>;
  explicit ScriptedWorkload(Step step) : step_(std::move(step)) {}
  void step(Phases& phases) override { step_(index_++, phases); }
  void before_step() override { ahead(); }
  std::vector<HeldTensor> state() const override { return held; }
  Gang* gang() override { return others; }
  void after_step(Samples& samples) override {
    for (const auto& [phase, metric] : adds) samples.add(phase, metric, 1);
  }

  std::vector<HeldTensor> held;         // the tensors that the step reports as held
  Gang* others = nullptr;               // the other ranks
  std::function<void()> ahead = [] {};  // before each step
  std::vector<std::pair<std::string, std::string>> adds;  // phase and metric, after each step

 private:
  Step step_;
  std::int64_t index_ = 0;
};

}  // namespace sweepd
