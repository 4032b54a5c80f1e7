// `fault` ends in the way that its parameter asks for. It tests how the runner handles each.
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/worker/folder_gang.h"
#include "workloads/api/workload.h"

namespace sweepd {
namespace {

struct FaultParams {
  std::string kind = "done";
  std::string at = "step";
  std::int64_t step = 0;
  Duration sleep = milliseconds(10);
  std::string work = "right";
  std::int64_t rank = -1;
  bool gang = false;
  void visit(auto& field) {
    field("kind", kind, "how it ends",
          one_of({"done", "slow", "oom", "bad_alloc", "unavailable", "throw", "throw_int", "check",
                  "unknown_phase", "crash", "segv", "exit", "hang", "hang_ignoring_sigterm", "kill",
                  "stop", "ecc"}));
    field("at", at, "where", one_of({"setup", "step", "facts"}));
    field("step", step, "in which step, warm-up counted", at_least(0));
    field("sleep", sleep, "of each step, for `slow`");
    field("work", work, "whether the formulas throw", one_of({"right", "throw"}));
    field("rank", rank, "which rank does; -1 is all", at_least(-1));
    field("gang", gang, "the ranks meet before each step");
  }
};

[[noreturn]] void sleep_forever() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

void fail(const std::string& kind) {
  if (kind == "oom") throw OutOfMemory(3_GiB, 1_GiB, 2_GiB);
  if (kind == "bad_alloc") throw std::bad_alloc();
  if (kind == "unavailable") throw Unavailable("no such thing here; install it");
  if (kind == "throw") throw std::runtime_error("thrown on purpose");
  if (kind == "throw_int") throw 42;
  if (kind == "ecc") throw std::runtime_error("CUDA error: uncorrectable ECC error encountered");
  if (kind == "crash") std::abort();
  if (kind == "segv") {
    signal(SIGSEGV, SIG_DFL);  // with a sanitizer's handler it would be an exit code
    raise(SIGSEGV);
  }
  if (kind == "exit") _exit(3);
  if (kind == "hang") sleep_forever();
  if (kind == "kill") raise(SIGKILL);
  if (kind == "stop") raise(SIGSTOP);
  if (kind == "hang_ignoring_sigterm") {
    signal(SIGTERM, SIG_IGN);
    sleep_forever();
  }
}

class Fault final : public Workload {
 public:
  using Params = FaultParams;
  static constexpr std::string_view kHelp = "ends as asked; for tests";
  static constexpr std::string_view kPhases[] = {"forward", "backward"};

  static WorkPerStep work(const Params& params, const RunParams&) {
    if (params.work == "throw") throw std::invalid_argument("the formulas do not hold");
    return {};
  }
  Fault(const Params& params, Context& context) : params_(params) {
    if (params_.gang) gang_ = std::make_unique<FolderGang>(context);
    if (params_.rank >= 0 && params_.rank != context.rank && params_.kind != "slow") {
      params_.kind = "done";
    }
    if (params_.at == "setup") fail(params_.kind);
  }
  Gang* gang() override { return gang_.get(); }
  void step(Phases& phases) override {
    phases.enter("forward");
    if (params_.kind == "slow")
      std::this_thread::sleep_for(std::chrono::nanoseconds(params_.sleep.ns));
    phases.enter(params_.kind == "unknown_phase" ? "bakward" : "backward");
    if (params_.at == "step" && index_ == params_.step) fail(params_.kind);
    ++index_;
  }
  std::optional<Check> check() override {
    if (params_.kind == "check") return Check{false, 0.5, "dx differs by 0.5 at [3, 4]"};
    return std::nullopt;
  }
  void facts(Facts& facts) override {
    if (params_.at == "facts") fail(params_.kind);
    facts.number("steps", static_cast<double>(index_));
    facts.text("kind", params_.kind);
  }

 private:
  Params params_;
  std::unique_ptr<FolderGang> gang_;
  std::int64_t index_ = 0;
};
REGISTER_WORKLOAD("fault", Fault);

}  // namespace
}  // namespace sweepd
