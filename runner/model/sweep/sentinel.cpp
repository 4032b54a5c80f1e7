#include "runner/model/sweep/sentinel.h"

#include <utility>

namespace sweepd {
namespace {

constexpr std::int64_t kWarmup = 3, kSteps = 20;
constexpr std::int64_t kSeed = 53'717;  // arbitrary; unlikely in a user's sweep
constexpr Duration kTimeout = seconds(120);

}  // namespace

Trial sentinel_trial(const WorkloadDef& matmul, std::string_view device) {
  Trial trial = default_trial(matmul);
  const auto set = [&](std::string_view param, Value value) {
    if (const auto index = matmul.index_of(param)) trial.values[*index] = std::move(value);
  };
  const bool cpu = device == "cpu";
  set("size", std::int64_t{cpu ? 512 : 4096});
  set("precision", std::string(cpu ? "fp32" : "bf16"));
  set("device", std::string(device));
  set("warmup", kWarmup);
  set("steps", kSteps);
  set("seed", kSeed);
  set("timeout", kTimeout.ns);
  return trial;
}

}  // namespace sweepd
