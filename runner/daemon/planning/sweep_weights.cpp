#include "runner/daemon/planning/sweep_weights.h"

#include <spdlog/spdlog.h>

#include "runner/daemon/formulas/work_of_trials.h"
#include "runner/model/sweep/estimate.h"

namespace sweepd {
namespace {

constexpr std::size_t kMaxTrials = 1000;
constexpr std::int64_t kPastWeights = 1000;

}  // namespace

SweepWeights::SweepWeights(SweepId sweep, std::string workload, std::size_t trials)
    : sweep_(std::move(sweep)), workload_(std::move(workload)), large_(trials > kMaxTrials) {}

Result<void> SweepWeights::read_trials(Reader& reader, const EstimateSources& sources,
                                       const WorkloadDef& def) {
  auto trials = reader.trials_of(sweep_, def);
  if (!trials) return trials.error();
  std::vector<const Trial*> asked;
  for (const SweepTrial& trial : *trials) asked.push_back(&trial.trial);
  auto works = work_of_trials(sources.worker, def, asked);
  if (works) {
    works_ = std::move(*works);
  } else {
    // Results of the same trials can still be compared.
    spdlog::warn("time left of {}: {}", sweep_, works.error().message);
    works_.assign(trials->size(), std::nullopt);
  }
  trials_ = std::move(*trials);
  return {};
}

Result<AttemptWeights> SweepWeights::read(Reader& reader, const EstimateSources& sources) {
  const WorkloadDef* def = sources.catalog.find(workload_);
  if (large_ || def == nullptr || !known_.empty()) return known_;
  if (trials_.empty()) {
    if (const auto done = read_trials(reader, sources, *def); !done) return done.error();
  }
  auto past = reader.past_attempts(*def, sources.host.id, kPastWeights);
  if (!past) return past.error();
  const Estimator estimator(*def, std::move(*past));
  AttemptWeights weights;
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    for (const Pass pass : trials_[i].passes) {
      const auto estimate = estimator.of(trials_[i].key, trials_[i].trial, pass, works_[i]);
      if (!estimate || estimate->time.ns <= 0) return known_;
      weights.set(trials_[i].key, pass, static_cast<double>(estimate->time.ns));
    }
  }
  return known_ = std::move(weights);
}

}  // namespace sweepd
