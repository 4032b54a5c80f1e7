// Writes what a workload reports as facts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runner/worker/journal/event_writer.h"
#include "workloads/api/workload.h"

namespace sweepd {

class FactWriter final : public Facts {
 public:
  explicit FactWriter(EventWriter& events) : events_(events) {}
  void text(std::string_view name, std::string_view value) override {
    events_.add(FactEvent{std::string(name), std::nullopt, std::string(value)});
  }
  void number(std::string_view name, double value) override {
    events_.add(FactEvent{std::string(name), value, ""});
  }

 private:
  EventWriter& events_;
};

}  // namespace sweepd
