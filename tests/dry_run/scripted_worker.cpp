// A worker for a GPU that does not exist: every workload of the real one, with its formulas, but a
// step takes the time that an H200 could need, on a simulated clock. So a whole round of
// tools/gpu_check runs in minutes on any machine, and its output looks real.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "runner/base/nvml.h"
#include "runner/model/machine/peaks.h"
#include "runner/worker/plugins/load.h"
#include "runner/worker/worker_main.h"
#include "tests/worker/fake_device.h"
#include "workloads/api/profiler.h"

namespace sweepd {
namespace {

constexpr const char* kName = "NVIDIA H200";

class ScriptedGpu final : public FakeDevice {
 public:
  ScriptedGpu() : nvml_(Nvml::open()) {
    if (nvml_ == nullptr) throw Unavailable("no fake NVML in LD_LIBRARY_PATH");
  }
  std::string_view kind() const override { return "cuda"; }
  DeviceInfo info() override {
    const NvmlGpu gpu = nvml_->gpus().at(0);
    DeviceInfo info;
    info.kind = "cuda";
    info.name = gpu.name;
    info.uuid = gpu.uuid;
    info.memory = gpu.memory;
    info.driver = nvml_->driver_version();
    info.compute_capability = gpu.compute_capability;
    info.power_limit_watts = gpu.power_limit_watts;
    info.cache = 60_MiB;
    info.multiprocessors = 132;
    return info;
  }
  DeviceState state() override {
    const NvmlState now = nvml_->state(nvml_->gpus().at(0).uuid);
    DeviceState state;
    state.sm_clock_mhz = now.sm_clock_mhz;
    state.temperature_celsius = now.temperature_celsius;
    state.power_watts = now.power_watts;
    return state;
  }
  void fill_versions(Environment& environment) override {
    environment.torch_version = "scripted";
    environment.cuda_version = "scripted";
  }

 private:
  std::unique_ptr<Nvml> nvml_;
};

ScriptedGpu* the_gpu = nullptr;

Instant scripted_now() {
  return the_gpu != nullptr ? the_gpu->now() : now_instant();
}

// 60 % of the datasheet's rate, and a launch. Steps differ by up to a per cent.
double milliseconds_of(const PhaseWork& work, const Peak& peak, std::int64_t index) {
  const double compute = peak.flops_per_s > 0 ? work.flops / peak.flops_per_s : 0;
  const double floor = std::max(compute, work.bytes / peak.bytes_per_s);
  const double wobble = 1 + 0.01 * std::sin(static_cast<double>(index) * 1.7);
  return (floor / 0.6 * 1e3 + 0.005) * wobble;
}

class ScriptedSteps final : public Workload {
 public:
  ScriptedSteps(WorkPerStep work, Context& context)
      : work_(std::move(work)),
        peak_(*datasheet_peak(kName, work_.arithmetic.empty() ? "fp32" : work_.arithmetic)) {
    for (const Figure& figure : work_.figures) {
      if (figure.name == "training_state_bytes" || figure.name == "tensors_bytes") {
        the_gpu->allocate(static_cast<std::int64_t>(figure.value));
      }
    }
    (void)context;
  }
  void step(Phases& phases) override {
    ++index_;
    bool entered = false;
    for (const PhaseWork& phase : work_.phases) {
      if (phase.phase == "step") continue;
      phases.enter(phase.phase);
      the_gpu->enqueue(milliseconds_of(phase, peak_, index_));
      entered = true;
    }
    if (entered) return;
    for (const PhaseWork& phase : work_.phases) {
      the_gpu->enqueue(milliseconds_of(phase, peak_, index_));
    }
    if (work_.phases.empty()) the_gpu->enqueue(0.005);
  }

 private:
  WorkPerStep work_;
  Peak peak_;
  std::int64_t index_ = 0;
};

// One operator and one kernel for each phase that the step entered.
class ScriptedProfiler final : public Profiler {
 public:
  void start() override { taken_ = {}; }
  void stop() override {}
  void enter(std::string_view phase) override {
    close();
    if (!phase.empty()) open_ = SpanRecord{std::string(phase), scripted_now().ns, 0};
  }
  Recording take() override {
    close();
    return std::exchange(taken_, {});
  }

 private:
  void close() {
    if (!open_) return;
    the_gpu->synchronize();
    open_->end_ns = scripted_now().ns;
    taken_.phases.push_back(*open_);
    taken_.operators.push_back(
        {"aten::mm", open_->name, "", kNoParent, open_->begin_ns, open_->end_ns, 0});
    KernelRecord kernel;
    kernel.name = "scripted_gemm_kernel";
    kernel.launcher = static_cast<std::int64_t>(taken_.operators.size()) - 1;
    kernel.begin_ns = open_->begin_ns;
    kernel.end_ns = open_->end_ns;
    taken_.kernels.push_back(kernel);
    open_.reset();
  }
  Recording taken_;
  std::optional<SpanRecord> open_;
};

Registry scripted_registry() {
  add_shipped_workloads(Registry::instance());
  Registry registry;
  for (const WorkloadDef& def : Registry::instance().catalog().workloads) {
    WorkloadEntry entry = *Registry::instance().find(def.name);
    if (!def.analytic) {
      entry.make = [work = entry.work](const auto& values, Context& context) {
        return std::make_unique<ScriptedSteps>(work(values, context.run), context);
      };
    }
    registry.add(std::move(entry));
  }
  return registry;
}

}  // namespace
}  // namespace sweepd

int main(int argc, char** argv) {
  using namespace sweepd;
  const Registry registry = scripted_registry();
  const auto make_device = [](const DeviceOptions&) -> std::unique_ptr<Device> {
    auto gpu = std::make_unique<ScriptedGpu>();
    the_gpu = gpu.get();
    return gpu;
  };
  const auto make_profiler = [](Device&) -> std::unique_ptr<Profiler> {
    return std::make_unique<ScriptedProfiler>();
  };
  return worker_main(argc, argv, {registry, make_device, scripted_now, make_profiler});
}
