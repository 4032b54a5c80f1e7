#include "runner/worker/passes/memory_recorder.h"

#include <algorithm>
#include <new>
#include <numeric>

#include "runner/worker/passes/memory_timeline.h"

namespace sweepd {

std::string_view name_of(HeldTensor::Kind kind) {
  switch (kind) {
    case HeldTensor::Kind::kWeights:
      return "weights";
    case HeldTensor::Kind::kGradients:
      return "gradients";
    case HeldTensor::Kind::kOptimizerState:
      return "optimizer_state";
    case HeldTensor::Kind::kOther:
      return "other";
  }
  return "?";
}

MemoryRecorder::~MemoryRecorder() {
  detach();
}

bool MemoryRecorder::start(Device& device, const std::vector<HeldTensor>& held) {
  changes_.reserve(4096);
  blocks_.reserve(4096);
  began_ = now_();
  const NameId before = id("before");
  for (const HeldTensor& tensor : held) {
    named_before_ += tensor.size.value;
    live_[tensor.block] = blocks_.size();
    blocks_.push_back({tensor.size.value, 0, -1, before, id(""), id(tensor.name), true});
  }
  recording_ = device.record_memory(*this);
  if (!recording_) return false;
  allocated_ = recording_->allocated_before().value;
  reserved_ = recording_->reserved_before().value;
  hold(held);
  add_range_observer(*this);
  set_tensor_name_observer(this);
  enter("step");
  return true;
}

void MemoryRecorder::detach() {
  if (!recording_) return;
  recording_.reset();
  remove_range_observer(*this);
  set_tensor_name_observer(nullptr);
}

void MemoryRecorder::enter(std::string_view phase) {
  const std::lock_guard lock(mutex_);
  phase_ = id(phase);
  changes_.push_back({elapsed_ns(), nullptr, 0, allocated_, reserved_, phase_, Mark::kPhase});
}

void MemoryRecorder::hold(const std::vector<HeldTensor>& tensors) {
  const std::lock_guard lock(mutex_);
  std::map<HeldTensor::Kind, HeldKind> now;
  for (const HeldTensor& tensor : tensors) {
    HeldKind& kind = now[tensor.kind];
    kind.bytes += tensor.size.value;
    kind.sizes[tensor.name] += tensor.size.value;
    const auto found = live_.find(tensor.block);
    if (found == live_.end()) continue;
    blocks_[found->second].origin = id(tensor.name);
    blocks_[found->second].named = true;
  }
  for (auto& [kind, held] : now) {
    HeldKind& most = held_[kind];
    if (most.sizes.empty() || held.bytes > most.bytes) most = std::move(held);
  }
}

void MemoryRecorder::on_change(const MemoryChange& change) noexcept {
  const std::lock_guard lock(mutex_);
  ++seen_;
  try {
    if (changes_.size() < kMaxChanges) return take(change);
  } catch (const std::bad_alloc&) {
  }
  ++lost_;
}

void MemoryRecorder::take(const MemoryChange& change) {
  const std::int64_t time = elapsed_ns();
  const bool allocates = change.action == MemoryChange::Action::kAllocate;
  allocated_ = change.allocated.value;
  reserved_ = change.reserved.value;
  changes_.push_back({time, change.block, change.size.value, allocated_, reserved_, phase_,
                      allocates ? Mark::kAllocate : Mark::kFree});
  if (allocates) {
    live_[change.block] = blocks_.size();
    blocks_.push_back({change.size.value, time, -1, phase_,
                       ranges_.empty() ? id("") : ranges_.back(), id(change.operation), false});
    return;
  }
  const auto found = live_.find(change.block);
  if (found != live_.end()) {
    blocks_[found->second].freed_ns = time;
    live_.erase(found);
  } else {  // older than the recording, and not named as held
    blocks_.push_back({change.size.value, 0, time, id("before"), id(""), id(""), false});
  }
}

void MemoryRecorder::push(std::string_view range) {
  const std::lock_guard lock(mutex_);
  ranges_.push_back(id(range));
}

void MemoryRecorder::pop() {
  const std::lock_guard lock(mutex_);
  if (!ranges_.empty()) ranges_.pop_back();
}

void MemoryRecorder::name(const void* block, std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(block);
  if (found == live_.end()) return;
  blocks_[found->second].origin = id(name);
  blocks_[found->second].named = true;
}

MemoryRecorder::NameId MemoryRecorder::id(std::string_view name) {
  const auto found = ids_.find(name);
  if (found != ids_.end()) return found->second;
  const auto fresh = static_cast<NameId>(names_.size());
  names_.emplace_back(name);
  ids_.emplace(names_.back(), fresh);
  return fresh;
}

MemoryTrace MemoryRecorder::stop(const std::filesystem::path& snapshot) {
  enter("step");
  if (recording_ && !snapshot.empty()) recording_->save_snapshot(snapshot);
  detach();
  MemoryTrace trace;
  trace.named_before = {named_before_};
  trace.changes = seen_;
  trace.lost = lost_;
  for (const auto& [kind, held] : held_) {
    for (const auto& [name, size] : held.sizes) {
      trace.held.push_back({0, std::string(name_of(kind)), name, {size}});
    }
  }
  trace.allocations = kept_blocks();
  trace.timeline = kept_points();
  return trace;
}

std::vector<Allocation> MemoryRecorder::kept_blocks() const {
  std::vector<std::size_t> order(blocks_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return blocks_[a].size > blocks_[b].size;
  });
  std::vector<std::size_t> kept;
  for (std::size_t place = 0; place < order.size() && kept.size() < MemoryTrace::kMaxBlocks;
       ++place) {
    const Block& block = blocks_[order[place]];
    if (place < MemoryTrace::kLargest || block.size >= MemoryTrace::kLargeBytes || block.named) {
      kept.push_back(order[place]);
    }
  }
  std::sort(kept.begin(), kept.end());
  std::vector<Allocation> allocations;
  allocations.reserve(kept.size());
  for (const std::size_t index : kept) {
    const Block& block = blocks_[index];
    Allocation& row = allocations.emplace_back();
    row.sequence = static_cast<std::int64_t>(index);
    row.size = {block.size};
    row.allocated = {block.allocated_ns};
    if (block.freed_ns >= 0) row.freed = Duration{block.freed_ns};
    row.phase = names_[static_cast<std::size_t>(block.phase)];
    row.range = names_[static_cast<std::size_t>(block.range)];
    row.origin = names_[static_cast<std::size_t>(block.origin)];
  }
  return allocations;
}

std::vector<MemoryPoint> MemoryRecorder::kept_points() const {
  std::vector<TimelineSample> samples;
  samples.reserve(changes_.size());
  for (const Change& change : changes_) {
    samples.push_back({change.time_ns, change.allocated, change.mark == Mark::kPhase});
  }
  constexpr const char* kActions[] = {"allocate", "free", "phase"};  // by Mark
  std::vector<MemoryPoint> points;
  for (const std::size_t index : thin(samples, MemoryTrace::kMaxPoints)) {
    const Change& change = changes_[index];
    MemoryPoint& point = points.emplace_back();
    point.sequence = static_cast<std::int64_t>(index);
    point.time = {change.time_ns};
    point.action = kActions[static_cast<std::size_t>(change.mark)];
    point.address = reinterpret_cast<std::uintptr_t>(change.block);
    point.size = {change.size};
    point.allocated = {change.allocated};
    point.reserved = {change.reserved};
    point.phase = names_[static_cast<std::size_t>(change.phase)];
  }
  return points;
}

}  // namespace sweepd
