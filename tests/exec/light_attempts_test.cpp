// Which attempts the worker without LibTorch forks.
#include <gtest/gtest.h>

#include "runner/exec/pilot/attempts.h"

namespace sweepd {
namespace {

TEST(LightAttempts, AreOfItsWorkloadsAndOfNoPlugin) {
  PilotSettings settings;
  settings.pool.slurm.emplace();
  settings.light = {"/light", {"noop", "command", "plugin"}};
  const auto is_light = [&](const std::string& workload, const std::string& base) {
    AttemptRequest request;
    request.attempt = "0123456789abcdef";
    request.workload = workload;
    request.params = {{"device", "cpu"}, {"warmup", "1"}};
    request.lease.ranks.resize(1);
    if (!base.empty()) {
      request.program.emplace();
      request.program->name = workload;
      request.program->base = base;
    }
    return make_attempt(settings, AttemptFolder("/runs/a"), request).light;
  };
  EXPECT_TRUE(is_light("noop", ""));
  EXPECT_FALSE(is_light("lm_step", ""));
  EXPECT_TRUE(is_light("mm", "command"));
  EXPECT_FALSE(is_light("saxpy", "plugin"));
}

}  // namespace
}  // namespace sweepd
