// The CPU without LibTorch: its timeline is the steady clock, its memory the process's resident
// set. For workloads that need no tensors, for builds without LibTorch and for tests.
//
// No allocator counts here, so `allocated` and `reserved` are the resident set, whose peak the
// kernel keeps (reset through /proc/self/clear_refs). The kernel counts in batches per core, so
// the figures are accurate to a few hundred KiB. A memory limit is the process's RLIMIT_DATA while
// the device lives: beyond it `new` throws std::bad_alloc, which the worker turns into `oom`.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "workloads/api/device.h"

namespace sweepd {

std::unique_ptr<Timeline> make_host_timeline(std::size_t capacity);

// This host's CPU as a device.
DeviceInfo host_device_info();

class HostDevice final : public Device {
 public:
  explicit HostDevice(const DeviceOptions& options);
  HostDevice(const HostDevice&) = delete;
  HostDevice& operator=(const HostDevice&) = delete;
  ~HostDevice() override;

  std::string_view kind() const override { return "cpu"; }
  int index() const override { return 0; }
  void synchronize() override {}
  Bytes flush_cache(Bytes at_least) override;
  std::unique_ptr<Timeline> timeline(std::size_t capacity) override;
  MemoryUsage memory() override;
  void reset_peak_memory() override;
  DeviceInfo info() override { return host_device_info(); }
  DeviceState state() override;
  void fill_versions(Environment&) override {}
  void rethrow_out_of_memory() override {}

 private:
  std::optional<std::uint64_t> former_limit_;  // RLIMIT_DATA to restore, if it was changed
  std::vector<unsigned char> flushed_;         // empty until the first flush
};

}  // namespace sweepd
