// The first program to run on a GPU: our attention kernels, without LibTorch, in seconds. Compares
// the kernels for Hopper with the portable ones, for heads of 64, 80 and 128, both masks, forward
// and backward; on another GPU only runs the portable ones. Compares those of fp32 and 3xtf32 with
// the CPU. Small enough for compute-sanitizer and ncu.
//
//   gpu_smoke              sequences of 300: of two heads, and of a head for each SM, where each
//                          block of Hopper's forward has several tiles
//   gpu_smoke --time       also times the leaderboard's shape (16 heads of 64, sequence 16,384,
//                          causal), and one such head in fp32 and 3xtf32
//
// Exit: 0 all agree, 1 they differ or CUDA reports an error, 77 there is no GPU.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/gpu/smoke/attention_run.h"
#include "tests/gpu/smoke/fp32_smoke.h"
#include "workloads/cuda/flash/launch.h"

namespace sweepd::gpu {
namespace {

// Returns whether they agree within the error of two orders of summation in bf16.
bool compare(const SmokeShape& shape, bool hopper) {
  Attention attention(shape);
  attention.run(portable_forward, portable_backward);
  const std::vector<float> wanted = attention.results();
  double largest = 0, difference = 0;
  for (const float value : wanted) largest = std::max(largest, std::abs(double{value}));
  bool finite = std::isfinite(largest) && largest > 0;
  if (hopper) {
    attention.run(hopper_forward, hopper_backward);
    const std::vector<float> got = attention.results();
    for (std::size_t i = 0; i < got.size(); ++i) {
      difference = std::max(difference, std::abs(double{got[i]} - double{wanted[i]}));
      finite = finite && std::isfinite(got[i]);
    }
  }
  const bool agree = finite && difference <= 0.02 * largest;
  std::printf("%s %d heads of %d, %s: largest result %.3f, largest difference %.4f\n",
              agree ? "[  PASSED  ]" : "[  FAILED  ]", shape.heads, shape.head_dim,
              shape.causal ? "causal" : "full", largest, difference);
  return agree;
}

// Back to back and without a flush of the caches: a first look, not the leaderboard's figure.
void time_leaderboard_shape(bool hopper) {
  Attention attention({16, 16384, 64, true});
  const auto time = [&](Launcher forward, Launcher backward) {
    return milliseconds([&] { attention.run(forward, backward); }, 10);
  };
  std::printf("portable, 16 heads of 64, sequence 16384, causal, forward and backward: %.3f ms\n",
              time(portable_forward, portable_backward));
  if (hopper) std::printf("Hopper, the same: %.3f ms\n", time(hopper_forward, hopper_backward));
}

int run(bool timed) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    std::puts("gpu_smoke: no GPU here");
    return 77;
  }
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  const bool hopper = properties.major == 9 && properties.minor == 0;
  std::printf("%s, compute capability %d.%d, %d SMs\n", properties.name, properties.major,
              properties.minor, properties.multiProcessorCount);
  bool all = true;
  for (const int head_dim : {64, 80, 128}) {
    for (const bool causal : {false, true}) {
      all = compare({2, 300, head_dim, causal}, hopper) && all;
    }
  }
  const int sms = properties.multiProcessorCount;
  all = compare({sms, 300, 64, true}, hopper) && all;
  all = compare({sms, 300, 80, false}, hopper) && all;
  all = compare_fp32() && all;
  if (timed && all) {
    time_leaderboard_shape(hopper);
    time_fp32();
  }
  return all ? 0 : 1;
}

}  // namespace
}  // namespace sweepd::gpu

int main(int count, char** words) {
  try {
    return sweepd::gpu::run(count > 1 && std::string(words[1]) == "--time");
  } catch (const std::exception& error) {
    std::printf("[  FAILED  ] %s\n", error.what());
    return 1;
  }
}
