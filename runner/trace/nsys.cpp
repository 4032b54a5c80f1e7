#include "runner/trace/nsys.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "runner/trace/nsys_file.h"
#include "runner/trace/nsys_records.h"

namespace sweepd::trace {
namespace {

std::string nsys_version(NsysFile& file) {
  NsysTable table(file, "META_DATA_EXPORT");
  const int name = table.maybe("name"), value = table.maybe("value");
  while (table.next()) {
    if (table.text_or_empty(name) == "EXPORT_PRODUCT_VERSION") {
      return "nsys " + table.text_or_empty(value);
    }
  }
  return "nsys";
}

// The machine's GPUs, and which of them a process calls which number.
class NsysGpus {
 public:
  explicit NsysGpus(NsysFile& file) {
    read_gpus(file);
    NsysTable table(file, "TARGET_INFO_CUDA_DEVICE");
    const int gpu = table.maybe("gpuId"), number = table.maybe("cudaId"), pid = table.maybe("pid");
    while (table.next()) {
      gpu_of_[{table.integer_or(pid, 0), table.integer_or(number, 0)}] = table.integer_or(gpu, 0);
    }
  }

  // The GPU's own number.
  std::int64_t gpu_of(std::int64_t pid, std::int32_t device) const {
    const auto known = gpu_of_.find({pid, device});
    return known == gpu_of_.end() ? device : known->second;
  }
  TracedDevice described(std::int64_t pid, std::int32_t device) const {
    const auto known = gpus_.find(gpu_of(pid, device));
    TracedDevice described = known == gpus_.end() ? TracedDevice() : known->second;
    described.index = device;
    return described;
  }

 private:
  void read_gpus(NsysFile& file) {
    const bool is_new = file.has("TARGET_INFO_GPU");  // since 2021
    NsysTable table(file, is_new ? "TARGET_INFO_GPU" : "TARGET_INFO_CUDA_GPU");
    const int id = table.maybe(is_new ? "id" : "deviceId"), name = table.maybe("name");
    const int count = table.maybe(is_new ? "smCount" : "numMultiprocessors");
    const int memory = table.maybe(is_new ? "totalMemory" : "globalMemorySize");
    while (table.next()) {
      TracedDevice& gpu = gpus_[table.integer_or(id, 0)];
      gpu.name = table.text_or_empty(name);
      gpu.multiprocessors = static_cast<std::int32_t>(
          std::clamp<std::int64_t>(table.integer_or(count, 0), 0, 1'000'000));
      gpu.memory = {std::max<std::int64_t>(0, table.integer_or(memory, 0))};
    }
  }

  std::map<std::int64_t, TracedDevice> gpus_;                             // by number
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> gpu_of_;  // by pid and device
};

void close_open_ranges(Timeline& timeline) {
  std::int64_t last = NsysProcess::kOpen;
  for (const DeviceWork& work : timeline.work) last = std::max(last, work.end_ns);
  for (const HostCall& call : timeline.calls) last = std::max(last, call.end_ns);
  for (const HostSpan& range : timeline.ranges) {
    last = std::max({last, range.begin_ns, range.end_ns});
  }
  for (HostSpan& range : timeline.ranges) {
    if (range.end_ns == NsysProcess::kOpen) range.end_ns = last;
  }
}

void sort_by_begin(Timeline& timeline) {
  std::ranges::stable_sort(timeline.work, {}, &DeviceWork::begin_ns);
  std::ranges::stable_sort(timeline.calls, {}, &HostCall::begin_ns);
  std::ranges::stable_sort(timeline.ranges, [](const HostSpan& a, const HostSpan& b) {
    return std::tuple(a.begin_ns, -a.end_ns) < std::tuple(b.begin_ns, -b.end_ns);
  });
}

// By index.
std::vector<TracedDevice> used_devices(const NsysProcess& process, const NsysGpus& gpus) {
  std::map<std::int32_t, TracedDevice> used;
  for (const DeviceWork& work : process.timeline.work) used.try_emplace(work.device);
  std::vector<TracedDevice> devices;
  for (const auto& [index, unknown] : used) devices.push_back(gpus.described(process.pid, index));
  return devices;
}

bool has_records(const NsysProcess& process) {
  const Timeline& timeline = process.timeline;
  return !timeline.work.empty() || !timeline.calls.empty() || !timeline.ranges.empty();
}

bool has_work(const NsysProcess& process) {
  return !process.timeline.work.empty();
}

std::vector<Timeline> timelines_of(NsysFile& file) {
  const NsysGpus gpus(file);
  const std::string source = nsys_version(file);
  std::vector<NsysProcess> processes;
  for (auto& [id, process] : NsysRecords(file).read()) {
    if (has_records(process)) processes.push_back(std::move(process));
  }
  if (std::ranges::any_of(processes, has_work)) {
    std::erase_if(processes, [](const NsysProcess& process) { return !has_work(process); });
  }
  for (NsysProcess& process : processes) {
    close_open_ranges(process.timeline);
    sort_by_begin(process.timeline);
    process.timeline.devices = used_devices(process, gpus);
    process.timeline.source = source;
  }
  std::ranges::stable_sort(processes, {}, [&](const NsysProcess& process) {
    const std::vector<TracedDevice>& used = process.timeline.devices;
    return used.empty() ? -1 : gpus.gpu_of(process.pid, used.front().index);
  });
  std::vector<Timeline> timelines;
  for (NsysProcess& process : processes) {
    process.timeline.rank = static_cast<int>(timelines.size());
    process.timeline.world_size = static_cast<int>(processes.size());
    timelines.push_back(std::move(process.timeline));
  }
  return timelines;
}

}  // namespace

Result<std::vector<Timeline>> read_nsys(const std::filesystem::path& file) {
  try {
    NsysFile opened(file);
    try {
      std::vector<Timeline> timelines = timelines_of(opened);
      if (timelines.empty()) opened.refuse("it has no kernel, copy, call or range");
      return timelines;
    } catch (const SQLite::Exception& failure) {
      opened.refuse(failure);
    }
  } catch (const NsysRefusal& refusal) {
    return refusal.error;
  }
}

}  // namespace sweepd::trace
