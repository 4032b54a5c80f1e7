// What parts of Hopper's kernels cost: times of the leaderboard's shape with one part taken out at
// a time (ablate.h), beside the whole. They take turns, ten launches each, five rounds; the figures
// are medians. A part whose absence saves nothing is hidden behind the others. Each backward gets
// the whole forward's results, because tensor cores take less power for NaN and so clock higher.
//
//   gpu_ablations
//
// Exit: 0, 1 CUDA reports an error, 77 there is no Hopper GPU.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

#include "tests/gpu/smoke/attention_run.h"

namespace sweepd::gpu {

// hopper.cu, compiled with a part taken out.
#define SWEEPD_WITHOUT(part)                                                           \
  const char* forward_without_##part(Element type, const Problem& p, CUstream_st* at); \
  const char* backward_without_##part(Element type, const Problem& p, CUstream_st* at);
SWEEPD_WITHOUT(exponentials)
SWEEPD_WITHOUT(maxima)
SWEEPD_WITHOUT(token)
SWEEPD_WITHOUT(dq)
#undef SWEEPD_WITHOUT

namespace {

struct Build {
  const char* name;
  Launcher forward, backward;
  std::vector<double> forward_ms, backward_ms;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

bool is_hopper() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return false;
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  return properties.major == 9 && properties.minor == 0;
}

int run() {
  if (!is_hopper()) {
    std::puts("gpu_ablations: no GPU of compute capability 9.0 here");
    return 77;
  }
  Build builds[] = {
      {"whole", hopper_forward, hopper_backward, {}, {}},
      {"without exponentials", forward_without_exponentials, backward_without_exponentials, {}, {}},
      {"without maxima", forward_without_maxima, backward_without_maxima, {}, {}},
      {"without turns", forward_without_token, backward_without_token, {}, {}},
      {"without adding dq", forward_without_dq, backward_without_dq, {}, {}},
  };
  Attention attention({16, 16384, 64, true});
  for (int round = 0; round < 5; ++round) {
    for (Build& build : builds) {
      const auto forward = [&] { attention.run_forward(build.forward); };
      const auto backward = [&] { attention.run_backward(build.backward); };
      build.forward_ms.push_back(milliseconds(forward, 10));
      attention.run_forward(hopper_forward);  // for an lse that is not NaN
      build.backward_ms.push_back(milliseconds(backward, 10));
    }
  }
  std::puts("16 heads of 64, sequence 16384, causal, bf16: ms\nforward  backward");
  for (const Build& build : builds) {
    std::printf("%7.3f  %8.3f  %s\n", median(build.forward_ms), median(build.backward_ms),
                build.name);
  }
  return 0;
}

}  // namespace
}  // namespace sweepd::gpu

int main() {
  try {
    return sweepd::gpu::run();
  } catch (const std::exception& error) {
    std::printf("[  FAILED  ] %s\n", error.what());
    return 1;
  }
}
