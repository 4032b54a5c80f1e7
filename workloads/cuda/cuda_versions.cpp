#include "workloads/cuda/cuda_versions.h"

#include <ATen/detail/CUDAHooksInterface.h>
#include <dlfcn.h>
#include <fmt/format.h>

namespace sweepd {

std::string cuda_runtime_version() {
  int version = 0;  // 1000 major + 10 minor
  if (cudaRuntimeGetVersion(&version) != cudaSuccess) return {};
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string cudnn_version() {
  if (!at::detail::getCUDAHooks().hasCuDNN()) return {};
  const long version = at::detail::getCUDAHooks().versionRuntimeCuDNN();  // 90100: 9.1.0
  return fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
}

std::string nccl_version() {
  // libtorch_cuda.so has loaded libnccl. Looking the function up by name needs no NCCL header.
  using GetVersion = int (*)(int*);
  const auto get = reinterpret_cast<GetVersion>(dlsym(RTLD_DEFAULT, "ncclGetVersion"));
  int version = 0;  // 22809: 2.28.9
  if (get == nullptr || get(&version) != 0) return {};
  return fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

}  // namespace sweepd
