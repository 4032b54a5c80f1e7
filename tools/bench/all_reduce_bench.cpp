// Compares all-reduce over shared memory with Gloo and with the time to copy the same bytes. All
// take turns in the same processes.
//   all_reduce_bench [WORLD_SIZE...]     default: 2 4
//
// The bound: a sum over W ranks of N bytes each has to read W N bytes and write W N. W ranks do the
// same if each copies N bytes from one buffer to another with memcpy at the same time. (It is the C
// library's memcpy, whose streaming stores are faster than torch's copy, which the workload
// `memcpy` measures.)
#include <ATen/Parallel.h>
#include <sys/wait.h>
#include <unistd.h>
#include "workloads/torch/aten.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>

#include "runner/worker/plugins/load.h"
#include "tools/bench/bench_output.h"
#include "workloads/torch/collectives.h"

namespace sweepd {
namespace {

struct Size {
  const char* name;
  std::int64_t bytes;
  int rounds;
};
constexpr Size kSizes[] = {{"1 MB", 1'000'000, 25},
                           {"10 MB", 10'000'000, 15},
                           {"100 MB", 100'000'000, 7},
                           {"1 GB", 1'000'000'000, 5}};

// One backend's tensor, filled with the rank's number so that its first sum can be checked.
struct Side {
  Collectives& ranks;
  at::Tensor tensor;

  Side(Collectives& all, at::Tensor memory) : ranks(all), tensor(std::move(memory)) {
    tensor.fill_(ranks.rank() + 1);
    ranks.all_reduce(tensor);
    const int sum = ranks.world_size() * (ranks.world_size() + 1) / 2;
    if (!tensor.eq(sum).all().item<bool>()) throw std::runtime_error("wrong sum");
    tensor.zero_();
  }
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class Bench {
 public:
  Bench(Collectives& gloo, Collectives& shm) : gloo_(gloo), shm_(shm) {}

  void run(const Size& size) {
    const std::int64_t count = size.bytes / 4;
    Side gloo(gloo_, at::empty({count}, at::kFloat));
    Side shared(shm_, shm_.empty({count}, at::kFloat));
    // Private memory, like that of a gradient that autograd made.
    const Side own(shm_, gloo.tensor);
    const at::Tensor copy = at::zeros({count}, at::kFloat);
    std::map<std::string, std::vector<double>> ms;
    for (int round = 0; round < size.rounds; ++round) {
      ms["copy"].push_back(timed([&] {
        std::memcpy(copy.mutable_data_ptr(), own.tensor.const_data_ptr(), copy.nbytes());
      }));
      ms["shared"].push_back(timed([&] { shm_.all_reduce(shared.tensor); }));
      ms["own"].push_back(timed([&] { shm_.all_reduce(own.tensor); }));
      ms["gloo"].push_back(timed([&] { gloo_.all_reduce(gloo.tensor); }));
    }
    if (shm_.rank() == 0) report(size, ms);
  }

 private:
  // Returns the time of the slowest rank from a common start.
  double timed(const std::function<void()>& work) {
    shm_.barrier();
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    return shm_.largest(took.count());
  }

  void report(const Size& size, std::map<std::string, std::vector<double>>& ms) const {
    const int ranks = shm_.world_size();
    const std::string what = fmt::format("all-reduce of {} over {} ranks: ", size.name, ranks);
    const auto ratio = [&](const std::string& above, const std::string& below) {
      std::vector<double> ratios;
      for (std::size_t i = 0; i < ms[above].size(); ++i)
        ratios.push_back(ms[above][i] / ms[below][i]);
      return ratios;
    };
    const auto medians = [&](const std::string& above, const std::string& below) {
      return fmt::format("medians {:.2f} ms over {:.2f} ms", median(ms[above]), median(ms[below]));
    };
    const bool aim = ranks == 2 && size.bytes == 1'000'000'000;
    const auto limit = [&](double value) { return aim ? std::optional(value) : std::nullopt; };
    print({what + "times as fast as Gloo", "ratio", ratio("gloo", "shared"), std::nullopt,
           medians("gloo", "shared"), limit(5)});
    print({what + "times the time of a memcpy", "ratio", ratio("shared", "copy"), limit(2),
           medians("shared", "copy")});
    print({what + "in private memory, times as fast as Gloo", "ratio", ratio("gloo", "own"),
           std::nullopt, medians("gloo", "own")});
    std::fflush(stdout);
  }

  Collectives& gloo_;
  Collectives& shm_;
};

void run_rank(int rank, int world_size, const std::filesystem::path& folder) {
  at::set_num_threads(1);
  const auto device = make_device({});
  const RunParams run;
  Context context{*device, Pass::kTiming, rank, world_size, 1, run, folder};
  add_shipped_workloads(Registry::instance());  // shm is in one of them
  const auto gloo = make_collectives("gloo", context);
  const auto shm = make_collectives("shm", context);
  Bench bench(*gloo, *shm);
  for (const Size& size : kSizes) bench.run(size);
}

// Runs each rank in a process of its own; returns whether all went well.
bool run(int world_size) {
  char folder[] = "/tmp/sweepd_all_reduce_XXXXXX";
  if (mkdtemp(folder) == nullptr) throw std::runtime_error("mkdtemp failed");
  for (int rank = 0; rank < world_size; ++rank) {
    if (::fork() != 0) continue;
    try {
      run_rank(rank, world_size, folder);
      ::_exit(0);
    } catch (const std::exception& error) {
      fmt::print(stderr, "all_reduce_bench: rank {}: {}\n", rank, error.what());
      ::_exit(1);
    }
  }
  bool good = true;
  for (int rank = 0; rank < world_size; ++rank) {
    int status = 0;
    ::wait(&status);
    good = good && status == 0;
  }
  std::filesystem::remove_all(folder);
  return good;
}

}  // namespace
}  // namespace sweepd

int main(int argc, char** argv) {
  std::vector<int> world_sizes{2, 4};
  if (argc > 1) world_sizes.clear();
  for (int i = 1; i < argc; ++i) world_sizes.push_back(std::atoi(argv[i]));
  for (const int world_size : world_sizes) {
    if (!sweepd::run(world_size)) return 1;
  }
}
