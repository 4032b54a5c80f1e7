// make_device: the CPU from this program, CUDA from libsweep_cuda.so, which is loaded only if
// requested, so that one build works on machines with and without a GPU.
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "workloads/api/device.h"
#include "workloads/api/failure.h"
#include "workloads/cpu/cpu_device.h"
#include "workloads/cuda/cuda_device.h"

namespace sweepd {
namespace {

std::string loader_message() {
  const char* message = dlerror();
  return message != nullptr ? message : "no reason given";
}

// Never unloaded: both register kernels and hooks for the lifetime of the process.
void* load(const std::string& name) {
  return dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
}

void* load_sweep_cuda() {
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const std::filesystem::path& folder : {self, self.parent_path() / "lib"}) {
    const auto library = folder / "libsweep_cuda.so";
    if (std::filesystem::exists(library, ignored)) return load(library);
  }
  return load("libsweep_cuda.so");
}

MakeCudaDevice load_cuda() {
  // In order of cost, so that a machine without a GPU answers at once. torch's CUDA library must be
  // loaded before the first check whether CUDA is available, because the answer is cached.
  setenv("CUDA_MODULE_LOADING", "LAZY", /*overwrite=*/0);
  if (load("libcuda.so.1") == nullptr) {
    throw Unavailable("device cuda: no NVIDIA driver on this machine (" + loader_message() + ")");
  }
  if (load("libtorch_cuda.so") == nullptr) {
    throw Unavailable(
        "device cuda: LibTorch's CUDA half does not load (" + loader_message() +
        "). A full `pip install torch` has every library it needs; point SWEEPD_LIBTORCH at its "
        "torch folder.");
  }
  void* library = load_sweep_cuda();
  if (library == nullptr) {
    throw Unavailable("device cuda: libsweep_cuda.so does not load (" + loader_message() +
                      "). It is built where nvcc is found.");
  }
  auto make = reinterpret_cast<MakeCudaDevice>(dlsym(library, kMakeCudaDevice));
  if (make == nullptr) throw Unavailable("device cuda: libsweep_cuda.so is of another build");
  return make;
}

}  // namespace

std::unique_ptr<Device> make_device(const DeviceOptions& options) {
  if (options.kind == "cpu") return make_cpu_device(options);
  if (options.kind == "cuda") {
    static const MakeCudaDevice make = load_cuda();
    return std::unique_ptr<Device>(make(options));
  }
  throw Unavailable("device `" + options.kind + "` is unknown; expected cpu or cuda");
}

}  // namespace sweepd
