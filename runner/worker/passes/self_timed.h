// Writes the reports of a workload that measures itself into the journal.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/model/sweep/run_params.h"
#include "runner/worker/journal/event_writer.h"
#include "runner/worker/journal/progress.h"
#include "workloads/api/self_timed.h"
#include "workloads/api/workload.h"

namespace sweepd {

// Returns null for a workload whose steps the worker measures.
SelfTimed* self_timed_of(Workload& workload);

// Throws std::invalid_argument if `run` asks for something between the steps of `workload`, which
// times itself.
void refuse_measuring_params(const RunParams& run, std::string_view workload);

class JournalFindings final : public Findings {
 public:
  JournalFindings(EventWriter& events, AttemptProgress& progress, int rank);
  void step(std::int64_t step, bool warmup, std::vector<Sample> samples) override;
  void whole_run(std::vector<Sample> samples) override;
  void memory(PhaseMemory memory) override;
  void memory(ObservedMemory memory) override;
  void work(WorkPerStep work) override;
  void profile(ObservedSteps steps) override;
  void profile(std::vector<KernelStats> kernels, std::vector<OperatorStats> operators,
               std::vector<Sample> samples) override;
  void recorded_on(DeviceInfo device) override { recorded_on_ = std::move(device); }
  void phase(std::string_view phase) override { progress_.enter(phase); }

  // "6 steps of 4 metrics, 1 metric of the whole run"
  std::string summary() const;
  const std::optional<DeviceInfo>& recorded_on() const { return recorded_on_; }

 private:
  void write(std::int64_t step, bool warmup, std::vector<Sample> samples);

  EventWriter& events_;
  AttemptProgress& progress_;
  int rank_;
  std::optional<DeviceInfo> recorded_on_;
  std::set<std::int64_t> steps_;
  std::set<std::string> metrics_, metrics_of_run_;
};

}  // namespace sweepd
