// make_device and make_profiler of a worker built without LibTorch. The versions with LibTorch are
// in workloads/devices.cpp and workloads/cpu/op_profiler.cpp.
#include "workloads/api/failure.h"
#include "workloads/api/host_device.h"
#include "workloads/api/profiler.h"

namespace sweepd {

std::unique_ptr<Device> make_device(const DeviceOptions& options) {
  if (options.kind == "cpu") return std::make_unique<HostDevice>(options);
  throw Unavailable("this build has no LibTorch, so no device `" + options.kind +
                    "`; configure with -DSWEEPD_TORCH=ON");
}

std::unique_ptr<Profiler> make_profiler(Device&) {
  throw Unavailable(
      "the profile pass observes LibTorch's operators, and this build has no LibTorch; "
      "configure with -DSWEEPD_TORCH=ON");
}

std::string_view libtorch_version() {
  return "";
}

int profilers_started() {
  return 0;
}

}  // namespace sweepd
