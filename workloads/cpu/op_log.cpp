#include "workloads/cpu/op_log.h"

#include <algorithm>
#include <utility>

#include "runner/base/clock.h"

namespace sweepd {

int TextIds::id(std::string_view text) {
  const auto found = ids_.find(text);
  if (found != ids_.end()) return found->second;
  texts_.emplace_back(text);
  const int id = static_cast<int>(texts_.size()) - 1;
  ids_.emplace(texts_.back(), id);
  return id;
}

OpLogs::OpLogs() : now_ns([] { return now_instant().ns; }) {}

OpLogs& OpLogs::instance() {
  // Never destroyed, because threads of torch's pools may outlive all our statics.
  static auto* const logs = new OpLogs;
  return *logs;
}

ThreadLog& OpLogs::mine() {
  thread_local ThreadLog* log = nullptr;
  if (log == nullptr) {
    const std::lock_guard lock(mutex_);
    // Only a thread's first operator takes the lock.
    log = logs_.emplace_back(std::make_unique<ThreadLog>()).get();
    log->number = static_cast<int>(logs_.size()) - 1;
  }
  return *log;
}

void OpLogs::remember(std::uint64_t thread, std::int64_t sequence, NamedPassage passage) {
  forward_[thread][sequence] = std::move(passage);
}

const NamedPassage* OpLogs::passage_of(std::uint64_t thread, std::int64_t sequence) const {
  const auto of_thread = forward_.find(thread);
  if (of_thread == forward_.end()) return nullptr;
  const auto found = of_thread->second.find(sequence);
  return found == of_thread->second.end() ? nullptr : &found->second;
}

void OpLogs::clear() {
  const std::lock_guard lock(mutex_);
  for (const auto& log : logs_) {
    log->entries.clear();
    log->open.clear();
    log->last_node = {};
  }
  forward_.clear();
  first_id_ = next_id;
}

std::int64_t OpLogs::index_of(std::uint64_t id) const {
  const bool known = id >= first_id_ && id - first_id_ < index_of_id_.size();
  return known ? index_of_id_[id - first_id_] : kNoParent;
}

std::vector<OperatorRecord> OpLogs::operators() {
  const std::lock_guard lock(mutex_);
  std::vector<OperatorRecord> records;
  index_of_id_.assign(next_id - first_id_, kNoParent);
  for (const auto& log : logs_) {
    // Parents are indices within one log, and the logs are joined one after the other.
    const auto offset = static_cast<std::int64_t>(records.size());
    for (const OpEntry& entry : log->entries) {
      index_of_id_[entry.id - first_id_] = static_cast<std::int64_t>(records.size());
      OperatorRecord& record = records.emplace_back();
      record.name = log->texts.text(entry.name);
      record.phase = phases[static_cast<std::size_t>(entry.phase)];
      record.range = log->texts.text(entry.passage.range);
      record.span = entry.passage.span;
      record.parent = entry.parent == kNoParent ? kNoParent : entry.parent + offset;
      record.begin_ns = entry.begin_ns;
      record.end_ns = entry.end_ns;
      record.thread = log->number;
    }
  }
  return records;
}

}  // namespace sweepd
