#include "tests/workloads/thread_collectives.h"

#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace sweepd {
namespace {

struct Call {
  std::string name;  // "all_reduce of 12 float"
  at::Tensor input;
};

class Meeting {
 public:
  explicit Meeting(int world_size) : calls(static_cast<std::size_t>(world_size)) {}

  void meet() {
    std::unique_lock lock(mutex_);
    const std::size_t round = round_;
    if (++arrived_ == calls.size()) {
      arrived_ = 0;
      ++round_;
      changed_.notify_all();
      return;
    }
    changed_.wait(lock, [&] { return round_ != round || broken_; });
    if (round_ == round) throw std::runtime_error("another rank is gone");
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    broken_ = true;
    changed_.notify_all();
  }

  std::vector<Call> calls;  // by rank: its current operation

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t arrived_ = 0, round_ = 0;
  bool broken_ = false;
};

class ThreadCollectives final : public Collectives {
 public:
  ThreadCollectives(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}

  std::string_view backend() const override { return "threads"; }
  int rank() const override { return rank_; }
  int world_size() const override { return static_cast<int>(meeting_.calls.size()); }

  void barrier() override {
    together("barrier", {}, [](const auto&) {});
  }
  double largest(double mine) override {
    double most = mine;
    together("largest", at::scalar_tensor(mine, at::kDouble), [&](const auto& calls) {
      for (const Call& call : calls) most = std::max(most, call.input.template item<double>());
    });
    return most;
  }
  void all_reduce(at::Tensor tensor) override {
    at::Tensor sum;
    together("all_reduce", tensor, [&](const auto& calls) { sum = sum_of(calls); });
    write(tensor, sum);
  }
  void reduce_scatter(at::Tensor output, const at::Tensor& input) override {
    require(input.numel() == output.numel() * world_size(), "reduce_scatter: sizes");
    at::Tensor part;
    together("reduce_scatter", input, [&](const auto& calls) {
      part = sum_of(calls).flatten().narrow(0, rank_ * output.numel(), output.numel());
    });
    write(output, part);
  }
  void all_gather(at::Tensor output, const at::Tensor& input) override {
    require(output.numel() == input.numel() * world_size(), "all_gather: sizes");
    std::vector<at::Tensor> parts;
    together("all_gather", input, [&](const auto& calls) {
      for (const Call& call : calls) parts.push_back(call.input.flatten().clone());
    });
    write(output, at::cat(parts));
  }
  void broadcast(at::Tensor tensor, int root) override {
    at::Tensor copy;
    together("broadcast", tensor, [&](const auto& calls) {
      copy = calls[static_cast<std::size_t>(root)].input.clone();
    });
    write(tensor, copy);
  }

 private:
  static void require(bool holds, const char* what) {
    if (!holds) throw std::logic_error(what);
  }
  static at::Tensor sum_of(const std::vector<Call>& calls) {
    at::Tensor sum = calls[0].input.clone();
    for (std::size_t i = 1; i < calls.size(); ++i) sum.add_(calls[i].input);
    return sum;
  }
  static void write(const at::Tensor& target, const at::Tensor& value) {
    const c10::NoGradGuard no_grad;
    require(target.is_contiguous(), "a collective needs a contiguous tensor");
    target.variable_data().copy_(value.reshape(target.sizes()));
  }
  // `read` gets the arguments of all ranks; no rank overwrites these before all have read them.
  void together(const std::string& name, const at::Tensor& input,
                const std::function<void(const std::vector<Call>&)>& read) {
    const c10::NoGradGuard no_grad;
    Call& mine = meeting_.calls[static_cast<std::size_t>(rank_)];
    mine = {name, input};
    if (input.defined()) {
      mine.name += fmt::format(" of {} {}", input.numel(), c10::toString(input.scalar_type()));
    }
    meeting_.meet();
    for (const Call& call : meeting_.calls) {
      if (call.name == mine.name) continue;
      throw std::logic_error(fmt::format("rank {}: {}, another: {}", rank_, mine.name, call.name));
    }
    read(meeting_.calls);
    meeting_.meet();
  }

  Meeting& meeting_;
  int rank_;
};

}  // namespace

std::vector<std::string> run_threads(int world_size,
                                     const std::function<void(Collectives&)>& body) {
  Meeting meeting(world_size);
  std::vector<std::string> thrown(static_cast<std::size_t>(world_size));
  const auto run = [&](int rank) {
    try {
      ThreadCollectives collectives(meeting, rank);
      body(collectives);
    } catch (const std::exception& error) {
      thrown[static_cast<std::size_t>(rank)] = error.what();
      meeting.leave();
    }
  };
  std::vector<std::thread> threads;
  for (int rank = 1; rank < world_size; ++rank) threads.emplace_back(run, rank);
  run(0);
  for (std::thread& thread : threads) thread.join();
  return thrown;
}

void expect_threads(int world_size, const std::function<void(Collectives&)>& body) {
  const std::vector<std::string> thrown = run_threads(world_size, body);
  for (std::size_t rank = 0; rank < thrown.size(); ++rank) {
    EXPECT_EQ(thrown[rank], "") << "rank " << rank << " of " << world_size;
  }
}

}  // namespace sweepd
