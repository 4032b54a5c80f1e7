// Makes a timeline from the events of a Chrome trace.
#pragma once

#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "runner/base/result.h"
#include "runner/trace/chrome.h"
#include "runner/trace/chrome_event.h"
#include "runner/trace/operator_calls.h"

namespace sweepd::trace {

class ChromeBuilder {
 public:
  explicit ChromeBuilder(const ChromeLimits& limits) : limits_(limits) {
    timeline_.source = "torch.profiler";
  }

  // kInvalidArgument if the event lacks what its category needs: "`dur` is `-5`; expected a number
  // of microseconds from 0". kResourceExhausted beyond a limit.
  Result<void> add(const ChromeEvent& event);

  // Members of an entry of deviceProperties, between two `add_device`, and of distributedInfo.
  Result<void> add_device();
  void set_device(ChromeField field, std::string_view text);
  void set_distributed(ChromeField field, std::string_view text);

  bool is_empty() const { return records_ == 0; }
  // In the order that timeline.h promises. Call it once.
  Timeline finish();

 private:
  Result<NameId> name_of(const ChromeEvent& event);
  void add_work(const ChromeEvent& event, NameId name, std::int64_t begin_ns, std::int64_t end_ns);
  std::int32_t shape_of(const ChromeEvent& event);
  void match_only_device();

  ChromeLimits limits_;
  Timeline timeline_;
  std::int64_t records_ = 0, text_bytes_ = 0;
  OperatorCalls calls_;
  std::vector<std::int32_t> warps_;  // threads of a warp, by device
  std::map<std::tuple<Shape3, Shape3, std::int32_t, std::int64_t>, std::int32_t> shapes_;
};

}  // namespace sweepd::trace
