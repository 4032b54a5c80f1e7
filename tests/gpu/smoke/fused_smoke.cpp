// The fused operations' kernels alone, without LibTorch, in seconds: compares each with plain loops
// in double precision on the host, at shapes with and without vectors. Small enough for
// compute-sanitizer and ncu.
//
//   fused_smoke            compares
//   fused_smoke --time     also times the kernels at the shapes of a model of 2.7e9 weights (2048
//                          rows of 2560, 32 heads of 80, d_ff 10240; AdamW of 3.4e8 weights) beside
//                          a copy on the device
//
// Exit: 0 all agree, 1 they differ or CUDA reports an error, 77 there is no GPU.
#include <cstdio>
#include <stdexcept>
#include <string>

#include "tests/gpu/smoke/fused_cases.h"

namespace sweepd::gpu {
namespace {

// Prints the time of `work`, which moves so many bytes.
template <class Work>
void time(const char* name, double bytes, const Work& work) {
  const double ms = milliseconds(work, 20);
  std::printf("%s: %.3f GB, %.0f GB/s, %.4f ms\n", name, bytes / 1e9, bytes / ms / 1e6, ms);
}

void time_copy(std::size_t bytes) {
  const DeviceBuffer from(bytes), to(bytes);
  const std::string name = "copy of " + std::to_string(bytes / 1000000) + " MB";
  time(name.c_str(), 2.0 * static_cast<double>(bytes), [&] {
    check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, nullptr),
          "cudaMemcpy");
  });
}

// Back to back: what fits into the L2 cache is not read from memory again.
void time_all() {
  time_copy(std::size_t{1} << 30);
  time_copy(std::size_t{2048} * 2560 * 2);
  time_copy(std::size_t{2048} * 10240 * 2);
  const auto bf16 = Element::kBf16;
  for (const Element in : {bf16, Element::kFp32}) {
    NormCase norm(in, bf16, 2048, 2560);
    const std::string types = in == bf16 ? "bf16" : "fp32 to bf16";
    time(("norm, " + types).c_str(), norm.forward_bytes(), [&] { norm.forward(); });
    time(("norm backward, " + types).c_str(), norm.backward_bytes(), [&] { norm.backward(); });
  }
  RotaryCase rotary(bf16, 4, 512, 32, 80, false), inverse(bf16, 4, 512, 32, 80, true);
  time("rotary, bf16", rotary.bytes(), [&] { rotary.run(); });
  time("rotary backward, bf16", inverse.bytes(), [&] { inverse.run(); });
  GateCase gate(bf16, 2048, 10240);
  time("gate, bf16", gate.forward_bytes(), [&] { gate.forward(); });
  time("gate backward, bf16", gate.backward_bytes(), [&] { gate.backward(); });
  AdamWCase adamw(bf16, std::vector<std::int64_t>(200, 1700000));
  time("AdamW of 200 tensors, bf16", adamw.bytes(), [&] { adamw.run(); });
}

bool compare_all() {
  bool all = true;
  const auto report = [&](const std::string& name, double error) {
    const bool agrees = error <= 1;  // of what rounding allows; false for NaN
    std::printf("%s %s: error %.3f of the allowed\n", agrees ? "[  PASSED  ]" : "[  FAILED  ]",
                name.c_str(), error);
    all = all && agrees;
  };
  for (const Element type : {Element::kBf16, Element::kFp32}) {
    const std::string name = type == Element::kBf16 ? ", bf16" : ", fp32";
    for (const int columns : {64, 299, 768, 2560, 4096}) {
      NormCase norm(type, Element::kBf16, 301, columns);
      report("norm of " + std::to_string(columns) + name, norm.error());
    }
    for (const int n : {80, 64, 10}) {
      for (const bool inverse : {false, true}) {
        RotaryCase rotary(type, 2, 33, 6, n, inverse);
        report("rotary of " + std::to_string(n) + (inverse ? " inverse" : "") + name,
               rotary.error());
      }
    }
    for (const int columns : {99, 2560}) {
      GateCase gate(type, 301, columns);
      report("gate of " + std::to_string(columns) + name, gate.error());
    }
    AdamWCase adamw(type, adamw_counts());
    report("AdamW of 100 tensors" + name, adamw.error());
  }
  return all;
}

int run(bool timed) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    std::puts("fused_smoke: no GPU here");
    return 77;
  }
  const bool all = compare_all();
  if (timed && all) time_all();
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
