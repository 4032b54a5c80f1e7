// The work of a trace's operators: of each different call once, since millions of calls share few
// shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runner/trace/chrome_event.h"
#include "runner/trace/operator_work.h"
#include "runner/trace/timeline.h"

namespace sweepd::trace {

class OperatorCalls {
 public:
  // An index of the work that `take` returns, or -1 if the work is unknown. `id` stands for `name`.
  std::int32_t work_of(std::string_view name, NameId id, const InputTexts& inputs);
  std::vector<OperatorWork> take() { return std::move(work_); }

 private:
  static constexpr std::size_t kMostBytes = 8 << 20;  // of different calls; others have no work

  std::vector<std::optional<WorkFrom>> from_;  // by name
  std::unordered_map<std::string, std::int32_t> known_;
  std::size_t known_bytes_ = 0;
  std::vector<OperatorWork> work_;
  std::string call_;
};

}  // namespace sweepd::trace
