// A profiler whose recordings a test scripts: each `take` returns the next one.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "workloads/api/profiler.h"

namespace sweepd {

// One operator of `name` from begin to end, in ns. `parent` is an index in the recording.
inline OperatorRecord op(std::string name, std::int64_t begin, std::int64_t end,
                         std::int64_t parent = kNoParent, std::string phase = "forward",
                         std::string range = "") {
  return {std::move(name), std::move(phase), std::move(range), parent, begin, end, 0};
}

class FakeProfiler final : public Profiler {
 public:
  explicit FakeProfiler(std::deque<Recording> recordings) : recordings_(std::move(recordings)) {}
  void start() override { calls.emplace_back("start"); }
  void enter(std::string_view phase) override { calls.emplace_back(phase); }
  Recording take() override {
    calls.emplace_back("take");
    Recording recording = std::move(recordings_.front());
    recordings_.pop_front();
    return recording;
  }
  void stop() override { calls.emplace_back("stop"); }

  std::vector<std::string> calls;

 private:
  std::deque<Recording> recordings_;
};

}  // namespace sweepd
