#include "runner/worker/passes/step_energy.h"

#include <cstdlib>

#include "runner/base/gpu_energy.h"
#include "runner/base/rapl.h"

namespace sweepd {
namespace {

constexpr int kLeastUpdates = 10;               // an error of a tenth at most
constexpr Duration kReadAtLeast = seconds(30);  // RAPL begins again after some minutes

std::optional<double> joules_between(std::optional<double> before, std::optional<double> after) {
  if (!before || !after || *after < *before) return std::nullopt;
  return *after - *before;
}

// The number of this rank on its host.
int local_rank(int rank) {
  const char* const local = std::getenv("LOCAL_RANK");
  return local == nullptr ? rank : std::atoi(local);
}

}  // namespace

std::unique_ptr<EnergyCounter> energy_counter_of(Device& device, int rank,
                                                 const std::filesystem::path& root) {
  if (device.kind() == "cuda") return open_gpu_energy(device.info().uuid);
  const bool first = local_rank(rank) == 0;
  return device.kind() == "cpu" && first ? open_rapl(powercap_folder(root)) : nullptr;
}

std::optional<double> StepEnergy::read(Instant now) {
  read_at_ = now;
  return counter_->joules();
}

bool StepEnergy::lasts_long_enough(Instant now) const {
  return (now - began_).ns >= kLeastUpdates * counter_->update().ns;
}

void StepEnergy::begin(Instant now) {
  if (counter_ == nullptr) return;
  began_ = now;
  first_ = last_ = read(now);
}

std::optional<double> StepEnergy::step(Instant now) {
  if (counter_ == nullptr) return std::nullopt;
  ended_ = now;
  if (++steps_ == 1) each_ = ranks_ == Ranks::kOne && lasts_long_enough(now);
  if (!each_) {
    if (now - read_at_ >= kReadAtLeast) last_ = read(now);
    return std::nullopt;
  }
  const auto before = last_;
  last_ = read(now);
  return joules_between(before, last_);
}

std::optional<double> StepEnergy::mean_of_all() {
  if (counter_ == nullptr || each_ || steps_ == 0 || !lasts_long_enough(ended_))
    return std::nullopt;
  const auto joules = joules_between(first_, counter_->joules());
  if (!joules) return std::nullopt;
  return *joules / static_cast<double>(steps_);
}

}  // namespace sweepd
