// The interface of workloads. A workload is one .cpp file under workloads/, or a library of its own
// (workloads/api/plugin.h):
//
//   struct MatmulParams { std::int64_t size = 4096; void visit(auto& field) {...} };
//   class Matmul final : public Workload {
//    public:
//     using Params = MatmulParams;
//     static constexpr std::string_view kHelp = "C = A B, square";
//     static constexpr int kVersion = 1;
//     static constexpr std::string_view kPasses[] = {"timing", "memory"};   // default: all three
//     static WorkPerStep work(const Params&, const RunParams&);   // by formula, allocates nothing
//     Matmul(const Params&, Context&);                            // allocates
//     void step(Phases&) override;                                // enqueues one step
//   };
//   REGISTER_WORKLOAD("matmul", Matmul);
//
// `work` is static and not a member, so that the figures of a trial that does not fit in memory are
// known too. With `static constexpr bool kAnalytic = true` only `work` is called. A step never
// times, logs or synchronises: the measure loop is responsible for warm-up, events, stopping and
// units. `static std::string code(const Params&, const RunParams&)` fills in the parameter that is
// `Computed`. `static Reading reread(const Params&, const RunParams&, const StoredOutput&)` reads
// an attempt's output again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/model/measurement/sample.h"
#include "runner/model/measurement/work.h"
#include "runner/model/sweep/run_params.h"
#include "runner/model/sweep/trial.h"
#include "runner/model/vocabulary/catalog.h"
#include "runner/model/vocabulary/param.h"
#include "workloads/api/device.h"
#include "workloads/api/failure.h"
#include "workloads/api/gang.h"

namespace sweepd {

// Marks where a phase begins; the previous one ends there. A step that enters none is only `step`.
class Phases {
 public:
  virtual ~Phases() = default;
  virtual void enter(std::string_view phase) = 0;  // one of the workload's kPhases
};

// For steps that are not measured.
class NoPhases final : public Phases {
 public:
  void enter(std::string_view) override {}
};

// Named non-numeric or one-off results, stored in the `fact` table.
class Facts {
 public:
  virtual ~Facts() = default;
  virtual void text(std::string_view name, std::string_view value) = 0;
  virtual void number(std::string_view name, double value) = 0;
};

// A workload's own measurements, in addition to the phases' times: `communication_time` of a
// step, `rendezvous_time` of its set-up. The metric decides the unit
// (runner/model/vocabulary/known_metric.h).
class Samples {
 public:
  virtual ~Samples() = default;
  virtual void add(std::string_view phase, std::string_view metric, double value) = 0;
};

// The facts about an attempt for its workload.
struct Context {
  Device& device;
  Pass pass = Pass::kTiming;
  int rank = 0;
  int world_size = 1;
  int threads = 1;
  RunParams run;
  std::filesystem::path folder;  // of the attempt: artefacts, rendezvous files
  // For the set-up, phase `setup`; null in the memory pass, which takes no times.
  Samples* setup = nullptr;
  // Writes a rank's next wait to its status page, where it can be read if the rank hangs:
  // "all_reduce 12". Only stores, so it may be called within a step. Empty: it has no reader.
  std::function<void(std::string_view)> note = {};
};

// A tensor that outlives the step.
struct HeldTensor {
  enum class Kind { kWeights, kGradients, kOptimizerState, kOther };
  Kind kind = Kind::kOther;
  std::string name;             // "block0.wq"
  const void* block = nullptr;  // where its storage begins
  Bytes size;                   // of its storage
};

struct Check {
  bool passed = true;
  double largest_error = 0;
  std::string message;  // the difference, if it did not pass
};

class Workload {
 public:
  virtual ~Workload() = default;
  virtual void step(Phases& phases) = 0;
  // Called before each step of the timing pass, outside its timing. Its enqueued work runs before
  // the step's first mark, while the host issues the step.
  virtual void before_step() {}
  // Called after each step of the timing pass, outside its timing and with the device idle.
  virtual void after_step(Samples&) {}
  // The other ranks, for a workload that works with them: every step then begins with a barrier,
  // and all ranks stop after the same step. Owned by the workload; null: it works alone.
  virtual Gang* gang() { return nullptr; }
  // Compares with a slow, obvious reference before anything is timed. A failed check ends the
  // attempt `failed`. Returns nothing if there is no check.
  virtual std::optional<Check> check() { return std::nullopt; }
  // Returns every tensor that is held now and was not made by this call, and each storage once.
  // Called only in the memory pass, at phase boundaries (gradients exist only between two of them).
  virtual std::vector<HeldTensor> state() const { return {}; }
  // Called once after the last step, outside every timing.
  virtual void facts(Facts&) {}
};

// The output of an ended attempt, and the figures of its steps in it.
struct StoredOutput {
  std::filesystem::path folder;  // the attempt's
  int rank = 0, world_size = 1;
  std::string log;
};
struct Reading {
  struct Step {
    std::int64_t step = 0;
    bool warmup = false;
    std::vector<Sample> samples;  // phase, metric and value
  };
  struct Said {
    std::string name;
    std::optional<double> number;
    std::string text;
  };
  std::vector<Step> steps;
  std::vector<Said> facts;
};

struct WorkloadEntry {
  WorkloadDef def;
  std::function<WorkPerStep(const std::vector<std::pair<std::string, Value>>&, const RunParams&)>
      work;
  std::function<std::unique_ptr<Workload>(const std::vector<std::pair<std::string, Value>>&,
                                          Context&)>
      make;
  // The value of the computed parameter; empty if there is none.
  std::function<std::string(const std::vector<std::pair<std::string, Value>>&, const RunParams&)>
      code;
  // Reads stored output with the trial's parameters; empty if the workload has none.
  std::function<Reading(const std::vector<std::pair<std::string, Value>>&, const RunParams&,
                        const StoredOutput&)>
      reread;
};

class Registry {
 public:
  static Registry& instance();
  void add(WorkloadEntry entry);  // aborts if two have one name, naming both
  const WorkloadEntry* find(std::string_view name) const;
  Catalog catalog() const;

 private:
  std::vector<WorkloadEntry> entries_;
};

namespace detail {

template <class W>
WorkloadDef describe_workload(std::string_view name) {
  WorkloadDef def;
  def.name = name;
  def.help = W::kHelp;
  if constexpr (requires { W::kVersion; }) def.version = W::kVersion;
  if constexpr (requires { W::kAnalytic; }) def.analytic = W::kAnalytic;
  if constexpr (requires { W::kPhases; })
    def.phases.assign(std::begin(W::kPhases), std::end(W::kPhases));
  if constexpr (requires { W::kPasses; }) {
    def.passes.assign(std::begin(W::kPasses), std::end(W::kPasses));
  } else {
    def.passes = pass_words();
  }
  def.params = describe_params<typename W::Params>();
  for (ParamDef& param : describe_params<RunParams>()) {
    param.run_param = true;
    def.params.push_back(std::move(param));
  }
  return def;
}

template <class W>
WorkloadEntry entry_of(std::string_view name) {
  WorkloadEntry entry;
  entry.def = describe_workload<W>(name);
  entry.work = [](const auto& values, const RunParams& run) {
    return W::work(read_params<typename W::Params>(values), run);
  };
  if constexpr (requires(const typename W::Params& params, const RunParams& run) {
                  W::code(params, run);
                }) {
    entry.code = [](const auto& values, const RunParams& run) {
      return W::code(read_params<typename W::Params>(values), run);
    };
  }
  if constexpr (requires(const typename W::Params& params, const RunParams& run,
                         const StoredOutput& output) { W::reread(params, run, output); }) {
    entry.reread = [](const auto& values, const RunParams& run, const StoredOutput& output) {
      return W::reread(read_params<typename W::Params>(values), run, output);
    };
  }
  entry.make = [](const auto& values, Context& context) -> std::unique_ptr<Workload> {
    return std::make_unique<W>(read_params<typename W::Params>(values), context);
  };
  return entry;
}

template <class W>
struct Registrar {
  explicit Registrar(std::string_view name) { Registry::instance().add(entry_of<W>(name)); }
};

}  // namespace detail

#define REGISTER_WORKLOAD(name, Class)                                       \
  static const ::sweepd::detail::Registrar<Class> sweepd_registrar_##Class { \
    name                                                                     \
  }

}  // namespace sweepd
