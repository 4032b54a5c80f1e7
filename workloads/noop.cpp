// Nothing, or a sleep: shows the harness's overhead of a step. Needs no LibTorch.
#include <thread>

#include "workloads/api/workload.h"

namespace sweepd {
namespace {

struct NoopParams {
  Duration sleep{0};
  void visit(auto& field) {
    field("sleep", sleep, "sleep this long in each step; 0 does nothing at all", at_least(0));
  }
};

class Noop final : public Workload {
 public:
  using Params = NoopParams;
  static constexpr std::string_view kHelp = "an empty step: the overhead of the harness itself";
  static constexpr std::string_view kPhases[] = {"idle"};
  static constexpr std::string_view kPasses[] = {"timing", "memory"};  // no operator to observe

  static WorkPerStep work(const Params&, const RunParams&) { return {}; }
  Noop(const Params& params, Context&) : sleep_(params.sleep) {}

  void step(Phases& phases) override {
    phases.enter("idle");
    if (sleep_.ns > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(sleep_.ns));
  }

 private:
  Duration sleep_;
};

REGISTER_WORKLOAD("noop", Noop);

}  // namespace
}  // namespace sweepd
