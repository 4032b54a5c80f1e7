// y = a x + y with a check against the obvious loop: a plugin with everything that a workload has.
#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "workloads/api/plugin.h"

#ifndef SAXPY_NAME
#define SAXPY_NAME "saxpy"
#endif

namespace {

using sweepd::Context;

struct SaxpyParams {
  std::int64_t size = 1000;
  double factor = 2;
  std::string end = "done";
  sweepd::Duration sleep{0};
  void visit(auto& field) {
    field("size", size, "elements", sweepd::at_least(1), sweepd::GrowsMemory());
    field("factor", factor, "a");
    field("end", end, "how it ends",
          sweepd::one_of({"done", "wrong", "unavailable", "throw", "exhaust"}));
    field("sleep", sleep, "in each step");
  }
};

class Saxpy final : public sweepd::Workload {
 public:
  using Params = SaxpyParams;
  static constexpr std::string_view kHelp = "y = a x + y";
  static constexpr int kVersion = 3;
  static constexpr std::string_view kPhases[] = {"add"};
  static constexpr std::string_view kPasses[] = {"timing", "memory"};

  static sweepd::WorkPerStep work(const Params& params, const sweepd::RunParams&) {
    sweepd::WorkPerStep work;
    const auto size = static_cast<double>(params.size);
    work.phases.push_back({"add", 2 * size, 24 * size});
    return work;
  }
  Saxpy(const Params& params, Context& context)
      : params_(params), x_(static_cast<std::size_t>(params.size), 1), y_(x_.size(), 1) {
    if (params.end == "unavailable") throw sweepd::Unavailable("no such thing here");
    if (params.end == "throw") throw std::runtime_error("thrown on purpose");
    // Beyond any memory_limit of a test.
    if (params.end == "exhaust") y_.resize(std::size_t{1} << 30);
    sweepd::SetUpTimer timer(context, "load_time");
    timer.stop();
  }

  std::optional<sweepd::Check> check() override {
    add(params_.end == "wrong" ? 1 : 0);
    const double error = std::abs(y_[0] - (params_.factor + 1));
    return sweepd::Check{error == 0, error, "y[0] differs"};
  }
  void step(sweepd::Phases& phases) override {
    phases.enter("add");
    const sweepd::Range range("saxpy.loop");
    add(0);
    if (params_.sleep.ns > 0)
      std::this_thread::sleep_for(std::chrono::nanoseconds(params_.sleep.ns));
  }
  std::vector<sweepd::HeldTensor> state() const override {
    return {{sweepd::HeldTensor::Kind::kWeights, "x", x_.data(),
             sweepd::Bytes{static_cast<std::int64_t>(x_.size() * sizeof(double))}}};
  }
  void facts(sweepd::Facts& facts) override { facts.number("last", y_.back()); }

 private:
  void add(double more) {
    for (std::size_t i = 0; i < x_.size(); ++i) y_[i] += params_.factor * x_[i] + more;
  }
  Params params_;
  std::vector<double> x_, y_;
};

REGISTER_WORKLOAD(SAXPY_NAME, Saxpy);

}  // namespace
