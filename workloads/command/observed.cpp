#include "workloads/command/observed.h"

#include <fmt/format.h>

#include <string_view>
#include <system_error>
#include <utility>

#include "runner/base/files.h"
#include "workloads/command/torch_trace.h"

namespace sweepd::command {

std::optional<ObservedSteps> read_observed(const std::filesystem::path& folder, int rank) {
  ObservedSteps steps;
  for (const int number : {0, 1}) {
    const auto path = folder / fmt::format("observed.{}.{}.json", rank, number);
    const auto text = read_regular(path, Links::kRefuse);
    if (!text) return std::nullopt;
    TorchTrace trace = read_torch_trace(*text);
    steps.has_kernels |= !trace.recording.kernels.empty();
    steps.step_ms = trace.step_ms;
    steps.device = std::move(trace.device);
    (number == 0 ? steps.first : steps.second) = std::move(trace.recording);
    std::error_code error;
    if (number == 0) {
      std::filesystem::remove(path, error);
    } else {
      std::filesystem::rename(path, folder / trace_file(rank), error);
    }
  }
  return steps;
}

bool report_observed(Findings& findings, const std::filesystem::path& folder, int rank) {
  auto steps = read_observed(folder, rank);
  if (!steps) return false;
  findings.profile(std::move(*steps));
  return true;
}

std::string trace_file(int rank) {
  return fmt::format("trace.{}.json", rank);
}

std::string not_observed(const std::map<std::string, FactReport>& facts) {
  constexpr std::string_view kAdvice =
      "; for a program without an optimizer set `step_ends` to backward, forward or the name of a "
      "function";
  const auto failed = facts.find("observe.failed"), backwards = facts.find("observe.no_optimizer");
  if (failed != facts.end()) return "observe: torch: the observer failed: " + failed->second.text;
  if (backwards != facts.end()) {
    return fmt::format("observe: torch: no optimizer stepped in {:.0f} backwards{}",
                       backwards->second.number.value_or(0), kAdvice);
  }
  constexpr std::string_view kNoStep =
      "observe: torch: the program ended without a step to measure: ";
  if (facts.contains("torch")) {
    return fmt::format("{}after its warm-up no optimizer stepped{}", kNoStep, kAdvice);
  }
  return fmt::format(
      "{}it did not import torch where the observer could see it; it must be Python, started "
      "without -S, -I and -E",
      kNoStep);
}

}  // namespace sweepd::command
