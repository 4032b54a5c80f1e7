// The log that the op profiler's callbacks write while a step runs. Each thread has its own log, so
// that no operator waits for another thread. Read only while no operator runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "workloads/api/profiler.h"

namespace sweepd {

// Maps repeated texts to small numbers; 0 is "". For one thread.
class TextIds {
 public:
  TextIds() { id(""); }
  int id(std::string_view text);
  const std::string& text(int id) const { return texts_[static_cast<std::size_t>(id)]; }

 private:
  std::deque<std::string> texts_;  // stable, because the keys point into it
  std::unordered_map<std::string_view, int> ids_;
};

// One pass through a range.
struct Passage {
  int range = 0;  // id of the log's texts
  std::int64_t span = kNoSpan;
};

// The same, for use without a log's texts.
struct NamedPassage {
  std::string range;
  std::int64_t span = kNoSpan;
};

struct OpEntry {
  std::uint64_t id = 0;  // unique in the process, in order of begin
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t parent = kNoParent;  // index in this log
  int name = 0;                     // ids of the log's texts
  Passage passage;
  int phase = 0;  // id of the phase, the same for all threads
};

struct ThreadLog {
  int number = 0;  // by the order of the threads' first operators
  TextIds texts;
  std::vector<OpEntry> entries;
  std::vector<std::int64_t> open;  // indices of the operators that run now, outermost first
  Passage last_node;               // of the node of the backward that ran last
};

// The only set of logs of the process. A thread's log lives as long as the process, because a
// thread pool keeps its threads.
class OpLogs {
 public:
  OpLogs();
  static OpLogs& instance();

  ThreadLog& mine();  // of the calling thread
  // The forward's passes through ranges by autograd's (thread, sequence number). Only the
  // workload's thread writes, while no backward runs.
  void remember(std::uint64_t thread, std::int64_t sequence, NamedPassage passage);
  const NamedPassage* passage_of(std::uint64_t thread, std::int64_t sequence) const;

  void clear();
  // All threads' entries since `clear`; a caller comes before the operators that it calls.
  std::vector<OperatorRecord> operators();
  // Returns the position of the operator with that id in the last result of `operators`.
  std::int64_t index_of(std::uint64_t id) const;

  std::vector<std::string> phases{""};    // texts of OpEntry::phase
  std::atomic<int> phase{0};              // the current phase
  std::atomic<std::uint64_t> next_id{1};  // id of the next operator
  std::vector<NamedPassage> ranges;       // open on the workload's thread, innermost last
  KernelTracer* tracer = nullptr;
  std::int64_t (*now_ns)();  // time source of operators; a test may replace it

 private:
  std::mutex mutex_;            // guards logs_
  std::uint64_t first_id_ = 1;  // first id since `clear`
  std::vector<std::int64_t> index_of_id_;
  std::vector<std::unique_ptr<ThreadLog>> logs_;
  std::unordered_map<std::uint64_t, std::unordered_map<std::int64_t, NamedPassage>> forward_;
};

}  // namespace sweepd
