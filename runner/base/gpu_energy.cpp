#include "runner/base/gpu_energy.h"

#include <utility>

#include "runner/base/shared_library.h"

namespace sweepd {
namespace {

class GpuEnergy final : public EnergyCounter {
 public:
  // NVML is initialised, once for this object.
  GpuEnergy(SharedLibrary library, const GpuEnergySymbols& symbols)
      : library_(std::move(library)), call_(symbols) {}
  GpuEnergy(const GpuEnergy&) = delete;
  GpuEnergy& operator=(const GpuEnergy&) = delete;
  ~GpuEnergy() override { call_.shutdown(); }

  bool find(const std::string& uuid) { return call_.device_by_uuid(uuid.c_str(), &device_) == 0; }

  std::optional<double> joules() override {
    unsigned long long millijoules = 0;
    if (call_.total_energy(device_, &millijoules) != 0) return std::nullopt;
    return static_cast<double>(millijoules) / 1e3;
  }
  Duration update() const override { return milliseconds(100); }

 private:
  SharedLibrary library_;
  GpuEnergySymbols call_;
  GpuEnergySymbols::Device device_ = nullptr;
};

std::unique_ptr<EnergyCounter> open_with(SharedLibrary library, const GpuEnergySymbols& symbols,
                                         const std::string& uuid) {
  const bool usable = symbols.init != nullptr && symbols.shutdown != nullptr &&
                      symbols.device_by_uuid != nullptr && symbols.total_energy != nullptr;
  if (!usable || symbols.init() != 0) return nullptr;
  auto counter = std::make_unique<GpuEnergy>(std::move(library), symbols);
  if (!counter->find(uuid) || !counter->joules()) return nullptr;
  return counter;
}

}  // namespace

std::unique_ptr<EnergyCounter> open_gpu_energy(const std::string& uuid, const char* library) {
  SharedLibrary handle = open_library(library);
  if (handle == nullptr) return nullptr;
  GpuEnergySymbols symbols;
  find_in(handle.get(), "nvmlInit_v2", symbols.init);
  find_in(handle.get(), "nvmlShutdown", symbols.shutdown);
  find_in(handle.get(), "nvmlDeviceGetHandleByUUID", symbols.device_by_uuid);
  find_in(handle.get(), "nvmlDeviceGetTotalEnergyConsumption", symbols.total_energy);
  return open_with(std::move(handle), symbols, uuid);
}

std::unique_ptr<EnergyCounter> open_gpu_energy(const std::string& uuid,
                                               const GpuEnergySymbols& symbols) {
  return open_with(nullptr, symbols, uuid);
}

}  // namespace sweepd
