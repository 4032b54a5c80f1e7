// make_device of a worker built without LibTorch; the other one is workloads/devices.cpp.
#include "workloads/api/failure.h"
#include "workloads/api/host_device.h"

namespace sweepd {

std::unique_ptr<Device> make_device(const DeviceOptions& options) {
  if (options.kind == "cpu") return std::make_unique<HostDevice>(options);
  throw Unavailable("this build has no LibTorch, so no device `" + options.kind +
                    "`; configure with -DSWEEPD_TORCH=ON");
}

}  // namespace sweepd
