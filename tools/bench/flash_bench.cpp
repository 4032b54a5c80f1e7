// Compares our FlashAttention on this CPU with torch's own and with attention written out: times in
// one process with the same threads, in turns, and memory.
//
//   flash_bench                          the rows of tools/bench/run
//   flash_bench DTYPE SEQUENCE D_HEAD    one shape, with the times themselves
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <sys/resource.h>
#include <torch/csrc/autograd/autograd.h>
#include "workloads/torch/aten.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

#include "runner/base/clock.h"
#include "tools/bench/bench_output.h"
#include "workloads/api/device.h"
#include "workloads/nn/attention.h"
#include "workloads/nn/dtype_names.h"

namespace sweepd {
namespace {

constexpr int kRounds = 5;

struct Shape {
  at::ScalarType type;
  std::int64_t sequence, d_head;
  std::int64_t batch = 2, heads = 4;
  AttentionMask mask = AttentionMask::kCausal;
};

double bytes_of_tensors(const Shape& shape) {  // Q, K, V, O and their gradients
  return 8.0 * static_cast<double>(shape.batch * shape.heads * shape.sequence * shape.d_head) *
         static_cast<double>(c10::elementSize(shape.type));
}

double seconds_since(Instant begin) {
  return static_cast<double>((now_instant() - begin).ns) * 1e-9;
}

struct Times {
  std::vector<double> forward, backward;  // seconds, one per round
};

class Contestant {
 public:
  Contestant(AttentionKind kind, const Shape& shape)
      : attention_(kind, {shape.heads, shape.sequence, shape.d_head, shape.mask}, shape.type,
                   at::kCPU, Gradients::kOn) {
    const auto make = [&] {
      return at::randn({shape.batch, shape.heads, shape.sequence, shape.d_head}).to(shape.type);
    };
    q_ = make().requires_grad_(), k_ = make().requires_grad_(), v_ = make().requires_grad_();
    d_o_ = make();
  }

  void step(Times& times) {
    const Instant begin = now_instant();
    const at::Tensor o = attention_(q_, k_, v_);
    times.forward.push_back(seconds_since(begin));
    const Instant middle = now_instant();
    torch::autograd::grad({o}, {q_, k_, v_}, {d_o_});
    times.backward.push_back(seconds_since(middle));
  }

 private:
  Attention attention_;
  at::Tensor q_, k_, v_, d_o_;
};

// Runs them in turns, after a warm-up of each; returns the times by kind.
std::map<AttentionKind, Times> race(const std::vector<AttentionKind>& kinds, const Shape& shape,
                                    int rounds) {
  std::vector<Contestant> contestants;
  for (const AttentionKind kind : kinds) contestants.emplace_back(kind, shape);
  Times warmup;
  for (Contestant& contestant : contestants) contestant.step(warmup);
  std::map<AttentionKind, Times> times;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < kinds.size(); ++i) contestants[i].step(times[kinds[i]]);
  }
  return times;
}

std::vector<double> ratios(const std::vector<double>& ours, const std::vector<double>& others) {
  std::vector<double> result;
  for (std::size_t i = 0; i < ours.size(); ++i) result.push_back(ours[i] / others[i]);
  return result;
}

std::string describe(const Shape& shape) {
  return fmt::format("{}, S = {}, d = {}", dtype_name(shape.type), shape.sequence, shape.d_head);
}

void print_ratios(const Shape& shape, bool with_naive) {
  std::vector<AttentionKind> kinds{AttentionKind::kFlash, AttentionKind::kSdpaFlash};
  if (with_naive) kinds.push_back(AttentionKind::kNaive);
  auto times = race(kinds, shape, shape.sequence > 4096 ? 3 : kRounds);
  const Times& ours = times[AttentionKind::kFlash];
  const std::string how =
      fmt::format("batch {}, {} heads, causal, {} threads; time of ours by theirs", shape.batch,
                  shape.heads, at::get_num_threads());
  for (std::size_t i = 1; i < kinds.size(); ++i) {
    const Times& theirs = times[kinds[i]];
    const char* name = i == 1 ? "torch's flash" : "naive";
    const std::optional<double> at_most =
        shape.sequence >= 1024 ? std::optional<double>(1) : std::nullopt;
    print({fmt::format("our flash by {}, {}, forward", name, describe(shape)), "x",
           ratios(ours.forward, theirs.forward), at_most, how});
    print({fmt::format("our flash by {}, {}, backward", name, describe(shape)), "x",
           ratios(ours.backward, theirs.backward), at_most, how});
  }
}

// Prints the peak of a whole step relative to the size of Q, K, V, O and their gradients.
void print_memory(Device& device, AttentionKind kind, const Shape& shape) {
  BenchLine line{fmt::format("memory of {}, {}", name_of(kind), describe(shape)),
                 "x",
                 {},
                 {},
                 "peak of forward and backward by the bytes of Q, K, V, O and their gradients"};
  if (kind == AttentionKind::kFlash) line.at_most = 1.2;
  const std::int64_t before = device.memory().allocated.value;
  Contestant contestant(kind, shape);
  Times times;
  device.reset_peak_memory();
  contestant.step(times);
  const auto peak = static_cast<double>(device.memory().peak_allocated.value - before);
  line.values.push_back(peak / bytes_of_tensors(shape));
  print(line);
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec) * 1e-6;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// What share of the machine's best product of matrices the kernels reach.
double matmul_flops_per_second(at::ScalarType type) {
  constexpr std::int64_t kSize = 2048;
  const at::Tensor a = at::randn({kSize, kSize}).to(type), b = at::randn({kSize, kSize}).to(type);
  at::Tensor c = at::mm(a, b);
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    const Instant begin = now_instant();
    at::mm_out(c, a, b);
    best = std::max(best, 2.0 * kSize * kSize * kSize / seconds_since(begin));
  }
  return best;
}

void print_shares(const Shape& shape) {
  const double peak = matmul_flops_per_second(shape.type);
  auto times = race({AttentionKind::kFlash, AttentionKind::kSdpaFlash}, shape, kRounds);
  // Half of 4 B h S^2 d, as the mask leaves; the backward computes the scores again.
  const double flops = 2 * static_cast<double>(shape.batch * shape.heads * shape.sequence) *
                       static_cast<double>(shape.sequence * shape.d_head);
  for (const auto& [kind, name] : {std::pair(AttentionKind::kFlash, "our flash"),
                                   {AttentionKind::kSdpaFlash, "torch's flash"}}) {
    const auto share = [&](double work, const std::vector<double>& seconds) {
      std::vector<double> result;
      for (const double s : seconds) result.push_back(100 * work / s / peak);
      return result;
    };
    const std::string how = fmt::format(
        "FLOP/s by those of torch's matmul of {} squared, {:.2f} TFLOP/s", 2048, peak * 1e-12);
    print({fmt::format("{}, share of matmul, {}, forward", name, describe(shape)), "%",
           share(flops, times[kind].forward), std::nullopt, how});
    print({fmt::format("{}, share of matmul, {}, backward", name, describe(shape)), "%",
           share(2.5 * flops, times[kind].backward), std::nullopt, how});
  }
}

void print_times(const Shape& shape) {
  for (const AttentionKind kind : {AttentionKind::kFlash, AttentionKind::kSdpaFlash,
                                   AttentionKind::kFlash, AttentionKind::kSdpaFlash}) {
    const double before = cpu_seconds();
    auto times = race({kind}, shape, 3);
    fmt::print("{:<12} {}: forward {:9.3f} ms, backward {:9.3f} ms, {:.3f} s of CPU\n",
               name_of(kind), describe(shape), 1e3 * median(times[kind].forward),
               1e3 * median(times[kind].backward), cpu_seconds() - before);
  }
}

void print_rows() {
  DeviceOptions options;
  options.threads = at::get_num_threads();
  const auto device = make_device(options);  // its allocator counts
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
    for (const std::int64_t sequence : {256, 1024, 2048, 4096, 8192}) {
      print_ratios({type, sequence, 64}, sequence <= 2048);
    }
    print_ratios({type, 2048, 128}, false);
    print_shares({type, 4096, 64});
    for (const std::int64_t sequence : {1024, 2048, 8192}) {
      print_memory(*device, AttentionKind::kFlash, {type, sequence, 64});
      if (sequence > 2048) continue;
      print_memory(*device, AttentionKind::kNaive, {type, sequence, 64});
    }
  }
}

}  // namespace
}  // namespace sweepd

int main(int argc, char** argv) {
  using namespace sweepd;
  if (argc == 4) {
    print_times({scalar_type_from(argv[1]), std::atoll(argv[2]), std::atoll(argv[3])});
  } else {
    print_rows();
  }
  return 0;
}
