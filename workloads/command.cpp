// Any program as a workload, so that measurements in other languages are in the same tables: its
// arguments come from the trial's parameters, its figures from its reports or output, and its
// end is an outcome. Needs no LibTorch. The parts are in workloads/command/.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "runner/base/overload.h"
#include "runner/base/text.h"
#include "runner/trace/places.h"
#include "workloads/api/self_timed.h"
#include "workloads/api/workload.h"
#include "workloads/command/cuda_observer.h"
#include "workloads/command/failure.h"
#include "workloads/command/metric_names.h"
#include "workloads/command/observed.h"
#include "workloads/command/origin.h"
#include "workloads/command/output_reader.h"
#include "workloads/command/params.h"
#include "workloads/command/plan.h"
#include "workloads/command/program.h"
#include "workloads/command/program_report.h"
#include "workloads/command/report_file.h"
#include "workloads/command/secret_files.h"
#include "workloads/command/secrets.h"
#include "workloads/command/work.h"

namespace sweepd {
namespace {

using command::Ended;

std::string shortened(std::string_view line) {
  constexpr std::size_t kMax = 200;
  return fmt::format("`{}{}`", line.substr(0, kMax), line.size() > kMax ? "..." : "");
}

class Command final : public Workload, public SelfTimed {
 public:
  using Params = command::Params;
  static constexpr std::string_view kHelp =
      "Any other program: its arguments come from the trial, its figures from its reports or "
      "output";
  static constexpr auto kPhases = trace::kPhaseNames;
  static constexpr std::string_view kPasses[] = {"timing", "memory", "profile"};

  static WorkPerStep work(const Params& params, const RunParams& run) {
    return command::work_of(params, run);
  }

  static std::string code(const Params& params, const RunParams& run) {
    return command::code_of(command::program_of(params, run));
  }

  static Reading reread(const Params& params, const RunParams& run, const StoredOutput& output) {
    return command::reread(params, run, output);
  }

  Command(const Params& params, Context& context)
      : context_(context),
        format_(params.reports),
        observes_(params.observe == "torch"),
        work_(command::work_of(params, context.run)),
        output_(params),
        secrets_(params.secrets),
        files_(secrets_, context.folder) {
    plan_ = command::plan_of(params, context, secrets_);
    if (command::observes_cuda(params, context.pass)) cuda_.emplace(context);
    file_.emplace(params, context, plan_.folder);
    command::refuse_changed_code(params, context.run);
    if (context.rank == 0) origin_ = command::origin_of(command::program_of(params, context.run));
    // On a GPU the limit applies to device memory, and the program must keep it.
    if (context.device.kind() == "cpu") plan_.data_limit = context.run.memory_limit;
    plan_.watch_memory = context.pass == Pass::kMemory;
    for (auto& [name, value] : {std::pair{"SWEEPD_METRICS_FD", std::to_string(command::kMetricsFd)},
                                {"SWEEPD_PASS", std::string(name_of(context.pass))},
                                {"SWEEPD_WARMUP", std::to_string(context.run.warmup)},
                                {"SWEEPD_STEPS", std::to_string(context.run.steps)}}) {
      plan_.environment.emplace_back(name, value);
    }
    plan_.cut = [this](std::string_view line) { return secrets_.cut(line); };
    plan_.before_death = [this] { files_.cover(); };
    if (params.work_flops == command::kCounted)
      plan_.environment.emplace_back("SWEEPD_COUNT_FLOPS", "1");
  }

  // One run, timed from outside.
  void step(Phases&) override { run(nullptr); }

  bool times_itself() const override {
    return format_ != "nothing" || context_.pass != Pass::kTiming;
  }

  void measure(Findings& findings) override {
    // Until it reports a step, or the observer that the loop has begun.
    if (observes_ || (format_ == "samples" && !cuda_)) findings.phase("setup");
    const Ended ended = run(&findings);
    if (cuda_ && !reported_memory_) return cuda_->report(findings);
    if (context_.pass == Pass::kMemory) {
      if (observes_) {
        if (!reported_memory_) throw std::runtime_error(command::not_observed(facts_));
        findings.memory(std::move(blocks_));
      }
      if (reported_memory_) return;
      knows_resident_ = ended.peak_resident.has_value();
      if (knows_resident_) findings.memory(resident_set(ended));
      return;
    }
    if (context_.pass == Pass::kProfile) {
      if (!observes_) return;
      if (command::report_observed(findings, context_.folder, context_.rank)) return;
      throw std::runtime_error(command::not_observed(facts_));
    }
    wall_ms_ = static_cast<double>(ended.wall.ns) / 1e6;
    if (measured_ > 0 || measured_once_ || file_->is_of_other_rank()) return;
    if (observes_) throw std::runtime_error(command::not_observed(facts_));
    throw std::runtime_error(output_.no_step(/*after_warmup=*/!steps_.empty()));
  }

  void facts(Facts& facts) override {
    files_.cover();
    for (const command::FactReport& fact : names_.facts()) facts_[fact.name] = fact;
    for (const command::Report& report : output_.facts()) {
      const auto& fact = std::get<command::FactReport>(report);
      facts_[fact.name] = fact;
    }
    for (const auto& [name, fact] : facts_) {
      if (fact.number) {
        facts.number(name, *fact.number);
      } else {
        facts.text(name, fact.text);
      }
    }
    if (wall_ms_ > 0) facts.number("wall_ms", wall_ms_);
    if (cuda_) cuda_->facts(facts);
    if (context_.pass == Pass::kMemory && !reported_memory_ && !cuda_) {
      facts.text("memory.from", knows_resident_
                                    ? "the resident sets of its processes together, every 20 ms"
                                    : "nothing: the program ended before the first reading");
    }
    if (!metrics_not_stored_.empty()) {
      facts.text("metrics.not_stored",
                 fmt::format("{}: {}", fmt::join(metrics_not_stored_, ", "), why_not_stored()));
    }
    if (!memory_not_stored_.empty()) {
      facts.text("memory.not_stored", fmt::format("of {}: only the memory pass stores it",
                                                  fmt::join(memory_not_stored_, ", ")));
    }
    if (context_.pass == Pass::kProfile && observes_) {
      facts.text("profile.trace", command::trace_file(context_.rank));
    } else if (context_.pass == Pass::kProfile) {
      facts.text("profile.files", secrets_.hide(join(files_.of_program(), ", ")));
    }
    for (const auto& [name, text] : files_.facts()) facts.text(name, text);
    // The program's reports come before measurements from outside.
    for (const auto& [name, text] :
         {std::pair{"program_commit", origin_.commit}, {"interpreter", origin_.interpreter}}) {
      if (!text.empty() && !facts_.contains(name)) facts.text(name, text);
    }
  }

 private:
  Ended run(Findings* findings) {
    const auto kills_before = command::kills_for_memory();
    command::Symptoms symptoms;
    std::int64_t line_number = 0;
    const auto on_output = [&](std::string_view printed) {
      const std::string line = secrets_.hide(printed);
      log_.write(line);
      symptoms.read(line);
      for (const command::Report& report : output_.read(line)) {
        if (std::holds_alternative<command::StepReport>(report)) symptoms.went_on();
        take(report, line, findings, symptoms);
      }
    };
    const auto on_report = [&](std::string_view reported) {
      const std::string line = secrets_.hide(reported);
      ++line_number;
      if (line.find_first_not_of(" \t\r") == std::string::npos) return;
      const auto report = command::parse_report(line, names_);
      if (!report) {
        throw std::runtime_error(fmt::format("line {} of the program's report: {}: {}", line_number,
                                             report.error().message, shortened(line)));
      }
      take(*report, line, findings, symptoms);
    };
    files_.will_change();
    file_->begin();
    const Ended ended = command::run(plan_, on_output, on_report, [this] { log_.flush(); });
    if (findings != nullptr) files_.cover();  // else it would count as time of the step
    log_.cap();
    const auto kills = command::kills_for_memory();
    const bool killed = kills_before && kills && *kills > *kills_before;
    symptoms.judge(ended, killed, context_.run.memory_limit);
    if (output_.is_of_file() && findings != nullptr && context_.pass == Pass::kTiming) {
      std::vector<command::Report> reports;
      if (!file_->is_of_other_rank()) reports = output_.read_file(file_->read(secrets_));
      for (const command::Report& report : reports) take(report, format_, findings, symptoms);
      symptoms.judge(ended, killed, context_.run.memory_limit);  // the file may say `skipped`
    } else if (output_.is_of_file()) {
      metrics_not_stored_.insert(format_);
    }
    return ended;
  }

  void take(const command::Report& report, std::string_view line, Findings* findings,
            command::Symptoms& symptoms) {
    if (const auto* oom = std::get_if<command::OomReport>(&report)) {
      if (findings != nullptr && !oom->phase.empty()) findings->phase(oom->phase);
    }
    std::visit(Overload{[&](const command::StepReport& step) { take_step(step, line, findings); },
                        [&](const PhaseMemory& memory) { take_memory(memory, line, findings); },
                        [&](const ObservedMemory& memory) { take_blocks(memory); },
                        [&](const command::WorkReport& work) { take_work(work, findings); },
                        [&](const command::FactReport& fact) { take_fact(fact, findings); },
                        [&](const auto& why) { symptoms.report(why); }},
               report);
  }

  // Why the metrics of this pass are not stored.
  const char* why_not_stored() const {
    if (context_.pass == Pass::kMemory) return "the memory pass stores memory only";
    if (context_.pass == Pass::kProfile) return "the profiler slows the program";
    return "with `reports: nothing` only the time of each run is stored";
  }

  void take_step(const command::StepReport& report, std::string_view line, Findings* findings) {
    if (findings != nullptr && !observes_ && !std::exchange(began_, true)) findings->phase("step");
    if (findings == nullptr || context_.pass != Pass::kTiming) {
      for (const Sample& sample : report.samples) metrics_not_stored_.insert(sample.metric);
      return;
    }
    constexpr std::int64_t kMaxSteps = 1'000'000;
    if (report.step >= kMaxSteps) {
      throw std::runtime_error(fmt::format("step {} is too large; at most {}: {}", report.step,
                                           kMaxSteps, shortened(line)));
    }
    for (const Sample& sample : report.samples) {
      const auto [last, first] = steps_.try_emplace({sample.phase, sample.metric}, -1);
      if (report.step <= last->second) {
        throw std::runtime_error(fmt::format("{} of {}: step {} comes after step {}: {}",
                                             sample.metric, sample.phase, report.step, last->second,
                                             shortened(line)));
      }
      last->second = report.step;
    }
    if (report.once) {
      measured_once_ = true;
      return findings->whole_run(report.samples);
    }
    const bool warmup = report.warmup.value_or(report.step < context_.run.warmup);
    const auto is_setup = [](const Sample& sample) { return sample.phase == "setup"; };
    const bool once = std::ranges::all_of(report.samples, is_setup);
    if (!warmup && !once) ++measured_;  // a program's work before its steps does not count
    findings->step(report.step, warmup, report.samples);
  }

  void take_memory(const PhaseMemory& memory, std::string_view line, Findings* findings) {
    if (findings == nullptr || context_.pass != Pass::kMemory) {
      memory_not_stored_.insert(memory.phase);
      return;
    }
    if (!phases_with_memory_.emplace(memory.phase, true).second) {
      throw std::runtime_error(
          fmt::format("memory of {} is reported twice: {}", memory.phase, shortened(line)));
    }
    reported_memory_ = true;
    findings->memory(memory);
  }

  void take_fact(const command::FactReport& fact, Findings* findings) {
    if (fact.name == "observe.phase" && findings != nullptr) return findings->phase(fact.text);
    // Again, because the text has been decoded since: it may be JSON with escapes.
    command::FactReport& kept = facts_[secrets_.hide(fact.name)];
    kept = fact;
    kept.text = secrets_.hide(fact.text);
    // The program would run to its timeout without a usable result.
    if ((fact.name == "observe.failed" || fact.name == "observe.no_optimizer") && measured_ == 0 &&
        !output_.has_patterns())
      throw std::runtime_error(command::not_observed(facts_));
  }

  void take_work(const command::WorkReport& report, Findings* findings) {
    if (findings == nullptr) return;
    const std::vector<PhaseWork> by_formula = std::exchange(work_.phases, report.phases);
    for (const PhaseWork& phase : by_formula) {  // it has bytes, which are not counted
      const auto counted = std::ranges::find(work_.phases, phase.phase, &PhaseWork::phase);
      if (counted != work_.phases.end()) counted->bytes = phase.bytes;
    }
    findings->work(work_);
  }

  void take_blocks(const ObservedMemory& memory) {
    std::ranges::copy(memory.held, std::back_inserter(blocks_.held));
    std::ranges::copy(memory.allocations, std::back_inserter(blocks_.allocations));
    std::ranges::copy(memory.timeline, std::back_inserter(blocks_.timeline));
  }

  // For a program that does not report memory: the resident set of its whole process, including
  // interpreter and libraries. That is no allocator's figure and is not named like one.
  static PhaseMemory resident_set(const Ended& ended) {
    PhaseMemory memory;
    memory.phase = "step";
    memory.device_in_use = ended.peak_resident;
    return memory;
  }

  Context& context_;
  std::string format_;
  bool observes_;
  WorkPerStep work_;
  command::OutputReader output_;
  command::Secrets secrets_;
  command::SecretFiles files_;
  std::optional<command::CudaObserver> cuda_;
  std::optional<command::ReportFile> file_;
  command::MetricNames names_;  // on its descriptor
  command::ProgramStart plan_;
  command::Origin origin_;
  std::map<std::pair<std::string, std::string>, std::int64_t> steps_;  // last of a phase and metric
  std::map<std::string, bool> phases_with_memory_;
  ObservedMemory blocks_;
  std::map<std::string, command::FactReport> facts_;
  command::OutputLog log_;
  std::set<std::string> metrics_not_stored_, memory_not_stored_;  // metrics, phases
  std::int64_t measured_ = 0;
  bool began_ = false;          // it has reported a step
  bool measured_once_ = false;  // metrics of the whole run
  bool reported_memory_ = false;
  bool knows_resident_ = false;
  double wall_ms_ = 0;
};

REGISTER_WORKLOAD("command", Command);

}  // namespace
}  // namespace sweepd
