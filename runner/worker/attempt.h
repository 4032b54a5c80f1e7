// The stages of an attempt, in order. run_attempt.cpp runs them and turns exceptions into the
// ending. Members are in the order of construction, so that the workload is destroyed before its
// device.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "runner/base/cgroup.h"
#include "runner/base/cpu_loss.h"
#include "runner/wire/attempt_folder.h"
#include "runner/wire/request.h"
#include "runner/worker/journal/event_writer.h"
#include "runner/worker/journal/measured.h"
#include "runner/worker/journal/progress.h"
#include "runner/worker/passes/phase_clock.h"
#include "runner/worker/placement.h"
#include "runner/worker/run_attempt.h"
#include "workloads/api/self_timed.h"

namespace sweepd {

class Attempt {
 public:
  Attempt(AttemptFolder folder, int rank, const WorkerParts& parts, EventWriter& events,
          AttemptProgress& progress);

  // Runs everything up to the last fact and returns the stop reason. Throws if anything goes wrong.
  std::string run();

  Device* device() { return device_.get(); }  // null before it is opened
  Bytes memory_limit() const { return run_.memory_limit; }

 private:
  void read_trial();
  void emit_work();
  void open_device();
  void emit_environment();
  void begin_measured();
  void set_up();
  void check();
  std::string measure();
  std::string measure_time();
  std::string observe_memory();
  std::string observe_kernels();
  std::string observe_self_timed(SelfTimed& workload);
  void emit_facts();
  void emit_state(const char* moment);
  void add_throttling(DeviceState& state);
  void add(const Event& event);

  AttemptFolder folder_;
  int rank_;
  const WorkerParts& parts_;
  EventWriter& events_;
  AttemptProgress& progress_;
  AttemptRequest request_;
  const WorkloadEntry* entry_ = nullptr;
  bool plain_ = false;  // a plugin's workload without LibTorch
  NamedValues values_;
  RunParams run_;
  RankCores cores_;
  int threads_ = 1;
  std::unique_ptr<Device> device_;
  Environment environment_;  // as emitted last, without the device
  std::optional<Context> context_;
  std::unique_ptr<Workload> workload_;
  std::optional<CpuTimes> cpu_before_;  // when the state was last reported
  std::optional<CpuThrottling> throttling_before_;
};

}  // namespace sweepd
