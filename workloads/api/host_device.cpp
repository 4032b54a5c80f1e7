#include "workloads/api/host_device.h"

#include <sys/resource.h>

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/host.h"
#include "runner/base/proc.h"
#include "workloads/api/failure.h"

namespace sweepd {
namespace {

class HostTimeline final : public Timeline {
 public:
  explicit HostTimeline(std::size_t capacity) { marks_.reserve(capacity); }
  void clear() override { marks_.clear(); }
  void mark() override {
    assert(marks_.size() < marks_.capacity());
    marks_.push_back(now_instant());
  }
  double elapsed_ms(std::size_t from, std::size_t to) override {
    return static_cast<double>((marks_.at(to) - marks_.at(from)).ns) / 1e6;
  }

  bool reached(std::size_t at) override { return at < marks_.size(); }

 private:
  std::vector<Instant> marks_;
};

// Reads a field such as "VmHWM:     5120 kB" of /proc/self/status.
Bytes status_field(std::string_view key) {
  const std::string status = read_small_file("/proc/self/status");
  std::int64_t kib = 0;
  for (const char c : proc_field(status, key)) {
    if (c < '0' || c > '9') break;
    kib = kib * 10 + (c - '0');
  }
  return {kib * 1024};
}

}  // namespace

std::unique_ptr<Timeline> make_host_timeline(std::size_t capacity) {
  return std::make_unique<HostTimeline>(capacity);
}

HostDevice::HostDevice(const DeviceOptions& options) {
  if (options.memory_limit.value <= 0) return;
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) throw Unavailable("cannot read RLIMIT_DATA");
  const std::uint64_t former = limit.rlim_cur;
  // Added to the process's present use, because the limit is for the workload.
  const std::int64_t allowed = status_field("VmData").value + options.memory_limit.value;
  limit.rlim_cur = std::min(static_cast<rlim_t>(allowed), limit.rlim_max);
  if (::setrlimit(RLIMIT_DATA, &limit) != 0) throw Unavailable("cannot set RLIMIT_DATA");
  former_limit_ = former;
}

HostDevice::~HostDevice() {
  rlimit limit{};
  if (!former_limit_ || ::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = *former_limit_;
  ::setrlimit(RLIMIT_DATA, &limit);
}

// Reads and writes each line, because a large memset may write past the caches.
Bytes HostDevice::flush_cache(Bytes at_least) {
  constexpr std::size_t kLine = 64;
  const Bytes size = flush_size(read_host().cache, at_least);
  flushed_.resize(static_cast<std::size_t>(size.value));
  for (std::size_t i = 0; i < flushed_.size(); i += kLine) ++flushed_[i];
  return size;
}

std::unique_ptr<Timeline> HostDevice::timeline(std::size_t capacity) {
  return make_host_timeline(capacity);
}

MemoryUsage HostDevice::memory() {
  const Bytes resident = resident_set();
  const Bytes peak = std::max(status_field("VmHWM"), resident);
  return {resident, peak, resident, peak, resident};
}

void HostDevice::reset_peak_memory() {
  // "5" resets the peak resident set. If the kernel refuses, the older, larger peak stays.
  if (std::FILE* file = std::fopen("/proc/self/clear_refs", "w")) {
    std::fputs("5", file);
    std::fclose(file);
  }
}

DeviceInfo host_device_info() {
  const HostInfo host = read_host();
  DeviceInfo info;
  info.kind = "cpu";
  info.uuid = host.id;
  info.name = host.cpu_model;
  info.memory = host.memory;
  return info;
}

DeviceState HostDevice::state() {
  DeviceState state;
  state.load_average = load_average();
  return state;
}

}  // namespace sweepd
