// Times a part of the set-up as a separate sample. Never used inside a step.
//
//   SetUpTimer timer(context, "load_time");
//   ... load ...
//   timer.stop();
#pragma once

#include <chrono>
#include <string_view>

#include "workloads/api/workload.h"

namespace sweepd {

class SetUpTimer {
 public:
  // `metric` has static storage, its unit is ms. Does nothing in the memory pass, which takes no
  // times. Waits for the device at both ends.
  SetUpTimer(Context& context, std::string_view metric) : context_(context), metric_(metric) {
    context_.device.synchronize();
    begin_ = std::chrono::steady_clock::now();
  }
  // Only a part that ends well is a sample; one that throws is not.
  void stop() {
    context_.device.synchronize();
    const std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - begin_;
    if (context_.setup != nullptr) context_.setup->add("setup", metric_, spent.count());
  }

 private:
  Context& context_;
  std::string_view metric_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace sweepd
