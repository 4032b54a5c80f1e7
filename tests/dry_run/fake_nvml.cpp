// libnvidia-ml.so.1 of a machine with one H200, as runner/base/nvml.h calls it.
#include <cstring>

#include "runner/base/nvml.h"

namespace {

using Device = sweepd::NvmlSymbols::Device;
constexpr int kSuccess = 0, kNoSuch = 6;  // NVML_SUCCESS, NVML_ERROR_NOT_FOUND

int say(const char* text, char* to, unsigned size) {
  std::strncpy(to, text, size);
  return kSuccess;
}
int number(unsigned value, unsigned* to) {
  *to = value;
  return kSuccess;
}
int gpu = 0;  // its address is the handle

}  // namespace

#define SWEEPD_NVML extern "C" __attribute__((visibility("default"))) int

SWEEPD_NVML nvmlInit_v2() {
  return kSuccess;
}
SWEEPD_NVML nvmlShutdown() {
  return kSuccess;
}
SWEEPD_NVML nvmlSystemGetDriverVersion(char* to, unsigned size) {
  return say("580.65.06", to, size);
}
SWEEPD_NVML nvmlDeviceGetCount_v2(unsigned* count) {
  return number(1, count);
}
SWEEPD_NVML nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  if (index != 0) return kNoSuch;
  *device = &gpu;
  return kSuccess;
}
SWEEPD_NVML nvmlDeviceGetUUID(Device, char* to, unsigned size) {
  return say("GPU-5c0e0000-0000-4000-8000-000000000001", to, size);
}
SWEEPD_NVML nvmlDeviceGetName(Device, char* to, unsigned size) {
  return say("NVIDIA H200", to, size);
}
SWEEPD_NVML nvmlDeviceGetMemoryInfo(Device, sweepd::NvmlSymbols::Memory* memory) {
  *memory = {150754820096, 150754820096, 0};
  return kSuccess;
}
SWEEPD_NVML nvmlDeviceGetCudaComputeCapability(Device, int* major, int* minor) {
  *major = 9;
  *minor = 0;
  return kSuccess;
}
SWEEPD_NVML nvmlDeviceGetPowerManagementLimit(Device, unsigned* milliwatts) {
  return number(700000, milliwatts);
}
SWEEPD_NVML nvmlDeviceGetPowerUsage(Device, unsigned* milliwatts) {
  return number(699000, milliwatts);
}
SWEEPD_NVML nvmlDeviceGetClockInfo(Device, int, unsigned* mhz) {
  return number(1755, mhz);
}
SWEEPD_NVML nvmlDeviceGetTemperature(Device, int, unsigned* celsius) {
  return number(61, celsius);
}
