#include "runner/worker/attempt.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include "runner/base/core_list.h"
#include "runner/base/proc.h"
#include "runner/base/text.h"
#include "runner/model/machine/private_values.h"
#include "runner/worker/journal/fact_writer.h"
#include "runner/worker/journal/log.h"
#include "runner/worker/journal/measured.h"
#include "runner/worker/passes/chrome_trace.h"
#include "runner/worker/passes/measure.h"
#include "runner/worker/passes/memory_facts.h"
#include "runner/worker/passes/memory_pass.h"
#include "runner/worker/passes/profile_events.h"
#include "runner/worker/passes/profile_pass.h"
#include "runner/worker/passes/samples_into.h"
#include "runner/worker/passes/self_timed.h"
#include "runner/worker/passes/step_energy.h"
#include "runner/worker/plugins/plugin_workload.h"
#include "runner/worker/sampling.h"
#include "workloads/api/host_device.h"
#include "workloads/api/range.h"

namespace sweepd {
namespace {

// Throws an expected failure of the request, so that it becomes the attempt's ending like any
// other.
template <class T>
T value_or_throw(Result<T> result) {
  if (!result && result.error().code == ErrorCode::kUnavailable) {
    throw Unavailable(result.error().message);
  }
  if (!result) throw std::invalid_argument(result.error().message);
  return std::move(*result);
}

// The executor shows a rank only its own GPU, which then has index 0. If all GPUs of a node are
// visible, the local rank decides, as in programs started by torchrun.
int device_index() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const char* local_rank = std::getenv("LOCAL_RANK");
  if (visible == nullptr || local_rank == nullptr) return 0;
  if (std::string_view(visible).find(',') == std::string_view::npos) return 0;
  return std::atoi(local_rank);
}

}  // namespace

Attempt::Attempt(AttemptFolder folder, int rank, const WorkerParts& parts, EventWriter& events,
                 AttemptProgress& progress)
    : folder_(std::move(folder)),
      rank_(rank),
      parts_(parts),
      events_(events),
      progress_(progress) {}

std::string Attempt::run() {
  progress_.enter("setup");
  add(StartedEvent{::getpid(), now_wall()});
  read_trial();
  emit_work();
  open_device();
  emit_environment();
  set_up();
  check();
  std::string reason = measure();
  emit_facts();
  return reason;
}

void Attempt::add(const Event& event) {
  events_.add(event);
  events_.flush();
}

void Attempt::read_trial() {
  request_ = value_or_throw(read_request(folder_.request()));
  const auto world_size = static_cast<int>(request_.lease.ranks.size());
  if (rank_ < 0 || rank_ >= world_size) {
    throw std::invalid_argument(
        fmt::format("RANK is {}, but the lease has {} rank(s)", rank_, world_size));
  }
  const Measured measured =
      value_or_throw(find_measured(parts_.registry, request_.workload, request_.program));
  values_ = value_or_throw(values_from_texts(measured.def, request_.params));
  const LoadedEntry loaded = value_or_throw(loaded_entry(measured, values_));
  entry_ = loaded.entry;
  plain_ = loaded.plain;
  const auto& passes = entry_->def.passes;
  if (std::find(passes.begin(), passes.end(), name_of(request_.pass)) == passes.end()) {
    throw std::invalid_argument(fmt::format("workload `{}` has no pass `{}`; it has {}",
                                            request_.workload, name_of(request_.pass),
                                            join(passes, ", ")));
  }
  run_ = sweepd::read_params<RunParams>(values_);
  if (run_.device == "auto") {
    throw std::invalid_argument("device: `auto` must have been resolved to cpu or cuda");
  }
  cores_ = cores_of_rank(request_, rank_);
  threads_ = run_.threads > 0 ? static_cast<int>(run_.threads) : cores_.count;

  std::string params;
  for (const auto& [name, text] : request_.params) {
    params += fmt::format(" {}={}", name, holds_environment(name) ? "(left out)" : text);
  }
  log_line("attempt {} repeat {} rank {} of {}: {} pass of {}{}", request_.attempt, request_.repeat,
           rank_, world_size, name_of(request_.pass), request_.workload, params);
}

void Attempt::emit_work() {
  add(WorkEvent{checked_work(*entry_, values_, run_)});
}

void Attempt::open_device() {
  DeviceOptions options;
  options.kind = run_.device;
  options.index = options.kind == "cuda" ? device_index() : 0;
  options.memory_limit = run_.memory_limit;
  options.threads = threads_;
  if (request_.pass == Pass::kProfile) options.tracing = KernelTracing::kOn;
  // LibTorch's CPU counts only its own allocations.
  device_ = plain_ && options.kind == "cpu" ? std::make_unique<HostDevice>(options)
                                            : parts_.make_device(options);
  // Set only if a tool started this process and listens, in any pass.
  if (RangeObserver* ranges = device_->tool_ranges()) add_range_observer(*ranges);
  context_.emplace(Context{
      *device_, request_.pass, rank_, static_cast<int>(request_.lease.ranks.size()), threads_, run_,
      folder_.path(), nullptr, [this](std::string_view note) { progress_.note(note); }});
}

void Attempt::emit_environment() {
  environment_.host = read_host();
  if (request_.host_cores > 0) environment_.host.cores = request_.host_cores;
  environment_.threads = threads_;  // a device may override this
  device_->fill_versions(environment_);
  fill_program(entry_->def.code, environment_);
  fill_machine(request_, device_->info(), environment_);
  environment_.cores = to_core_list(cores_.bound);
  Environment with_device = environment_;
  with_device.devices.push_back(device_->info());
  log_line("device: {} {}, {} thread(s), cores {}", device_->kind(), with_device.devices[0].name,
           threads_, environment_.cores.empty() ? "any" : environment_.cores);
  add(EnvironmentEvent{std::move(with_device)});
}

void Attempt::begin_measured() {
  device_->fill_versions(environment_);
  events_.add(EnvironmentEvent{environment_});
  emit_state("before");
}

void Attempt::set_up() {
  std::optional<MemorySpan> span;
  std::vector<Sample> taken;  // until the set-up has ended
  SamplesInto samples(taken);
  if (request_.pass == Pass::kMemory) {
    span.emplace(*device_, "setup");
  } else {
    context_->setup = &samples;
  }
  const Instant begin = parts_.now();
  workload_ = entry_->make(values_, *context_);
  context_->setup = nullptr;
  device_->synchronize();
  const double setup_ms = static_cast<double>((parts_.now() - begin).ns) / 1e6;
  log_line("setup: {:.3f} ms", setup_ms);
  if (span) {
    // Of the program that a self-timed workload runs, or whose file it reads, it says nothing.
    const PhaseMemory memory = span->end();
    if (self_timed_of(*workload_) == nullptr) add(MemoryEvent{memory});
  } else {
    samples.add("setup", "setup_time", setup_ms);
    // Time before the first step: loading and set-up.
    if (const auto age = process_age(::getpid())) {
      samples.add("setup", "start_time", static_cast<double>(age->ns) / 1e6);
    }
    add(StepEvent{0, false, std::move(taken)});
  }
}

void Attempt::check() {
  progress_.enter("check");
  const std::optional<Check> check = workload_->check();
  if (!check) return;
  if (!check->passed) throw std::runtime_error("check failed: " + check->message);
  log_line("check passed, largest error {:g}", check->largest_error);
  events_.add(FactEvent{"check.largest_error", check->largest_error, ""});
}

std::string Attempt::measure() {
  if (auto* self_timed = self_timed_of(*workload_)) return observe_self_timed(*self_timed);
  switch (request_.pass) {
    case Pass::kTiming:
      return measure_time();
    case Pass::kMemory:
      return observe_memory();
    case Pass::kProfile:
      return observe_kernels();
  }
  throw std::logic_error("unknown pass");
}

std::string Attempt::measure_time() {
  const bool adaptive = run_.relative_error > 0 || run_.min_time.ns > 0 || run_.max_time.ns > 0;
  if (adaptive && request_.lease.ranks.size() > 1 && workload_->gang() == nullptr) {
    // Each rank would stop after its own times, and they have no way to agree.
    throw std::invalid_argument(fmt::format(
        "relative_error, min_time and max_time need world_size 1 with `{}`, whose ranks cannot "
        "agree on when to stop; give `steps` instead",
        request_.workload));
  }
  const PhaseNames phases(entry_->def.phases);
  TimingHooks hooks;
  hooks.now = parts_.now;
  hooks.before_measured = [&] { begin_measured(); };
  hooks.on_step = [&](const StepEvent& event) {
    events_.add(event);
    events_.flush_if_due(parts_.now());
  };
  const auto energy = energy_counter_of(*device_, rank_, parts_.root);
  hooks.energy = energy.get();
  const auto sampler = start_sampling(request_.lease, cores_, *device_, parts_);
  hooks.readings = sampler.get();
  const TimingSettings plan{run_.warmup,
                            {run_.steps, run_.relative_error, run_.min_time, run_.max_time},
                            run_.slowdown,
                            run_.launch == "ahead" ? Launch::kAhead : Launch::kExposed,
                            request_.lease.ranks.size() > 1,
                            run_.flush_cache == "L2" ? FlushCache::kL2 : FlushCache::kNone};
  const TimingSummary summary =
      measure_timing(*workload_, *device_, phases, plan, progress_, hooks);
  if (summary.flushed.value > 0) {
    events_.add(FactEvent{"flush_bytes", static_cast<double>(summary.flushed.value), ""});
  }
  emit_state("after");
  log_line("measured {} step(s) after {} of warm-up, mean {:.4f} ms, stopped by {}", summary.steps,
           run_.warmup, summary.mean_ms, name_of(summary.stopped_by));
  return std::string(name_of(summary.stopped_by));
}

std::string Attempt::observe_self_timed(SelfTimed& workload) {
  refuse_measuring_params(run_, request_.workload);
  begin_measured();
  JournalFindings findings(events_, progress_, rank_);
  workload.measure(findings);
  if (findings.recorded_on()) {
    Environment of_recording = environment_;
    of_recording.devices = {*findings.recorded_on()};
    events_.add(EnvironmentEvent{std::move(of_recording)});
  }
  emit_state("after");
  log_line("the program reported {}", findings.summary());
  return std::string(kStoppedByProgram);
}

std::string Attempt::observe_memory() {
  begin_measured();
  const PhaseNames phases(entry_->def.phases);
  const MemorySettings plan{run_.warmup, folder_.memory_snapshot(rank_)};
  MemoryResult result = measure_memory(*workload_, *device_, phases, plan, progress_);
  for (const PhaseMemory& memory : result.phases) {
    log_line("memory in {}: peak {}", memory.phase,
             to_human(memory.peak_allocated.value_or(Bytes{})));
    events_.add(MemoryEvent{memory});
  }
  if (result.trace) {
    add_memory_events(std::move(*result.trace), events_);
    const Bytes limit = run_.memory_limit.value > 0 ? run_.memory_limit : device_->info().memory;
    events_.add(FactEvent{"limit_bytes", static_cast<double>(limit.value), ""});
  }
  emit_state("after");
  return std::string(name_of(StoppedBy::kFixedSteps));
}

std::string Attempt::observe_kernels() {
  if (plain_ && device_->kind() == "cpu") {
    throw Unavailable(
        "the profile pass observes LibTorch's operators, and this library was built "
        "without LibTorch");
  }
  begin_measured();
  const PhaseNames phases(entry_->def.phases);
  const auto profiler = parts_.make_profiler(*device_);
  ProfileResult result =
      profile_step(*workload_, *device_, *profiler, phases, {run_.warmup}, progress_);
  add_occupancy(result.summary.kernels, device_->info());
  emit_state("after");
  std::ofstream trace(folder_.trace(rank_));
  write_chrome_trace(trace, result.recording, rank_);
  add_profile_events(std::move(result), source_of(*device_), rank_, events_);
  // A full disk loses the trace but not the figures.
  if (trace.flush()) {
    events_.add(FactEvent{"profile.trace", std::nullopt, folder_.trace(rank_).filename().string()});
  } else {
    log_line("{}: cannot write the trace", folder_.trace(rank_).string());
  }
  return std::string(name_of(StoppedBy::kFixedSteps));
}

void Attempt::emit_facts() {
  progress_.enter("facts");
  FactWriter facts(events_);
  if (const auto step = step_of_rank()) facts.text("slurm.step", *step);
  workload_->facts(facts);
}

void Attempt::emit_state(const char* moment) {
  StateEvent event{device_->state()};
  event.record.moment = moment;
  const CpuTimes now = read_cpu_times(cores_.bound);
  const auto pretended = pretended_cores_lost();
  // The loss of a rank that is not bound to cores is unknown.
  if (cpu_before_ && (now.cores > 0 || pretended)) {
    const CpuLoss loss = pretended ? CpuLoss{*pretended} : cpu_loss(*cpu_before_, now);
    event.record.cores_lost_to_others = loss.to_others;
    event.record.cores_stolen = loss.stolen;
  }
  cpu_before_ = now;
  if (!pretended) add_throttling(event.record);
  add(event);
}

// A program that the worker started is in its control group.
void Attempt::add_throttling(DeviceState& state) {
  const auto now = cgroup_cpu_throttling(parts_.root);
  if (now && throttling_before_) {
    state.quota_periods = now->periods - throttling_before_->periods;
    state.throttled_periods = now->throttled - throttling_before_->throttled;
  }
  throttling_before_ = now;
}

}  // namespace sweepd
