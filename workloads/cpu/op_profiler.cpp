#include <ATen/record_function.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "runner/base/clock.h"
#include "workloads/api/failure.h"
#include "workloads/api/profiler.h"
#include "workloads/api/range.h"
#include "workloads/cpu/op_log.h"

namespace sweepd {
namespace {

std::atomic<int> started{0};

Passage passage_of_node(OpLogs& logs, ThreadLog& log, const at::RecordFunction& function) {
  const NamedPassage* found = logs.passage_of(function.forwardThreadId(), function.seqNr());
  // A node that the forward did not number keeps the pass of the node before it (see OpProfiler).
  if (found != nullptr) log.last_node = {log.texts.id(found->range), found->span};
  return log.last_node;
}

Passage passage_of_operator(OpLogs& logs, ThreadLog& log, const at::RecordFunction& function) {
  Passage passage;
  // Only the workload's thread opens ranges. Other threads run the backward's nodes.
  if (log.number == 0 && !logs.ranges.empty()) {
    passage = {log.texts.id(logs.ranges.back().range), logs.ranges.back().span};
  } else if (!log.open.empty()) {  // within a node of the backward, or an operator outside ranges
    passage = log.entries[static_cast<std::size_t>(log.open.back())].passage;
  }
  // The operator that makes the node is the last to see its number, so a later entry replaces an
  // earlier one.
  if (function.seqNr() >= 0) {
    logs.remember(at::RecordFunction::currentThreadId(), function.seqNr(),
                  {log.texts.text(passage.range), passage.span});
  }
  return passage;
}

std::unique_ptr<at::ObserverContext> on_begin(const at::RecordFunction& function) {
  OpLogs& logs = OpLogs::instance();
  ThreadLog& log = logs.mine();
  OpEntry entry;
  entry.begin_ns = logs.now_ns();
  entry.id = logs.next_id.fetch_add(1);
  // Threads do not share logs, so the parent is the last operator still open on this thread.
  entry.parent = log.open.empty() ? kNoParent : log.open.back();
  entry.name = log.texts.id(function.name());
  entry.phase = logs.phase.load();
  const bool node = function.scope() == at::RecordScope::BACKWARD_FUNCTION;
  entry.passage =
      node ? passage_of_node(logs, log, function) : passage_of_operator(logs, log, function);
  // The engine's scope around a node begins before the node is known.
  if (node && entry.parent != kNoParent) {
    log.entries[static_cast<std::size_t>(entry.parent)].passage = entry.passage;
  }
  log.open.push_back(static_cast<std::int64_t>(log.entries.size()));
  log.entries.push_back(entry);
  if (logs.tracer != nullptr) logs.tracer->push(entry.id);
  return nullptr;
}

void on_end(const at::RecordFunction&, at::ObserverContext*) {
  OpLogs& logs = OpLogs::instance();
  ThreadLog& log = logs.mine();
  if (log.open.empty()) return;  // it began before the profiler did
  if (logs.tracer != nullptr) logs.tracer->pop();
  log.entries[static_cast<std::size_t>(log.open.back())].end_ns = logs.now_ns();
  log.open.pop_back();
}

// Records every operator that torch dispatches, with a global RecordFunction callback. Costs 0.1 to
// 0.5 microseconds per operator while started, nothing otherwise (docs/decisions/profiler.md).
//
// Ranges: an operator of the forward belongs to the innermost Range around it. Autograd numbers its
// nodes by the operators that made them, per thread, so a node of the backward finds the range of
// its forward by that number. A node without a number (AccumulateGrad) belongs to the node before
// it, whose gradient it stores.
class OpProfiler final : public Profiler, private RangeObserver {
 public:
  explicit OpProfiler(KernelTracer* tracer);  // null on a CPU; must outlive this
  OpProfiler(const OpProfiler&) = delete;
  OpProfiler& operator=(const OpProfiler&) = delete;
  ~OpProfiler() override;  // stops

  void start() override;
  void enter(std::string_view phase) override;
  Recording take() override;
  void stop() override;

 private:
  void push(std::string_view name) override;
  void pop() override;

  KernelTracer* tracer_;
  std::uint64_t handle_ = 0;                 // id of the callback; 0: not started
  std::vector<SpanRecord> phases_, ranges_;  // since the last take
  std::vector<std::size_t> open_ranges_;     // indices into ranges_
};

OpProfiler::OpProfiler(KernelTracer* tracer) : tracer_(tracer) {}

OpProfiler::~OpProfiler() {
  stop();
}

void OpProfiler::start() {
  if (handle_ != 0) return;
  ++started;
  OpLogs& logs = OpLogs::instance();
  logs.mine();  // this makes the workload's thread number 0
  logs.clear();
  logs.tracer = tracer_;
  if (tracer_ != nullptr) tracer_->start();
  add_range_observer(*this);
  handle_ = at::addGlobalCallback(
      at::RecordFunctionCallback(&on_begin, &on_end)
          .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
}

void OpProfiler::stop() {
  if (handle_ == 0) return;
  at::removeCallback(handle_);
  handle_ = 0;
  remove_range_observer(*this);
  if (tracer_ != nullptr) tracer_->stop();
  OpLogs::instance().tracer = nullptr;
}

void OpProfiler::enter(std::string_view phase) {
  OpLogs& logs = OpLogs::instance();
  auto found = std::find(logs.phases.begin(), logs.phases.end(), phase);
  if (found == logs.phases.end()) found = logs.phases.emplace(logs.phases.end(), phase);
  logs.phase = static_cast<int>(found - logs.phases.begin());
  const std::int64_t now = now_instant().ns;
  if (!phases_.empty() && phases_.back().end_ns == 0) phases_.back().end_ns = now;
  if (!phase.empty()) phases_.push_back({std::string(phase), now, 0});
}

void OpProfiler::push(std::string_view name) {
  OpLogs::instance().ranges.push_back(
      {std::string(name), static_cast<std::int64_t>(ranges_.size())});
  open_ranges_.push_back(ranges_.size());
  ranges_.push_back({std::string(name), now_instant().ns, 0});
}

void OpProfiler::pop() {
  ranges_[open_ranges_.back()].end_ns = now_instant().ns;
  open_ranges_.pop_back();
  OpLogs::instance().ranges.pop_back();
}

Recording OpProfiler::take() {
  // Ends the phase, whose end would otherwise be that of the next recording.
  enter("");
  OpLogs& logs = OpLogs::instance();
  Recording recording;
  recording.operators = logs.operators();
  if (tracer_ != nullptr) {
    KernelTrace trace = tracer_->take();
    recording.dropped = trace.dropped;
    for (TracedKernel& traced : trace.kernels) {
      traced.kernel.launcher = logs.index_of(traced.id);
      recording.kernels.push_back(std::move(traced.kernel));
    }
  }
  recording.phases = std::move(phases_);
  recording.ranges = std::move(ranges_);
  phases_.clear();
  ranges_.clear();
  logs.clear();
  return recording;
}

}  // namespace

std::unique_ptr<Profiler> make_profiler(Device& device) {
  return std::make_unique<OpProfiler>(device.kernel_tracer());
}

int profilers_started() {
  return started;
}

}  // namespace sweepd
