#include <dlfcn.h>

#include <stdexcept>

#include "workloads/api/failure.h"
#include "workloads/cuda/nccl_collectives.h"
#include "workloads/dist/backends.h"

namespace sweepd {

std::unique_ptr<Collectives> make_nccl_collectives(Context& context) {
  if (context.device.kind() != "cuda") {
    throw std::invalid_argument("backend nccl works on device cuda; on cpu use gloo or shm");
  }
  // The device has loaded libsweep_cuda.so.
  const auto make =
      reinterpret_cast<MakeNcclCollectives>(dlsym(RTLD_DEFAULT, kMakeNcclCollectives));
  if (make == nullptr) {
    throw Unavailable(
        "backend nccl: libsweep_cuda.so was built without NCCL; install its header (nccl.h, "
        "libnccl-dev) and build again");
  }
  return std::unique_ptr<Collectives>(make(context));
}

}  // namespace sweepd
