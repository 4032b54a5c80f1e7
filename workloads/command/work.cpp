#include "workloads/command/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "runner/model/vocabulary/condition.h"
#include "workloads/command/variables.h"

namespace sweepd::command {
namespace {

// The variables that are numbers.
std::map<std::string, double> numbers_in(const std::vector<Variable>& variables) {
  std::map<std::string, double> numbers;
  for (const Variable& variable : variables) {
    const std::string& text = variable.value;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (variable.given && whole) numbers.try_emplace(variable.name, value);
  }
  return numbers;
}

double amount(const std::string& formula, const char* name,
              const std::map<std::string, double>& numbers) {
  if (formula.empty()) return 0;
  const auto value = value_of_sum(formula, numbers);
  if (!value) throw std::invalid_argument(fmt::format("{}: {}", name, value.error().message));
  if (!(*value >= 0) || *value > 1e30) {
    throw std::invalid_argument(
        fmt::format("{}: `{}` is {}; expected an amount of work from 0", name, formula, *value));
  }
  return *value;
}

std::string arithmetic_of(const std::vector<Variable>& variables) {
  for (const char* name : {"precision", "dtype"}) {
    const auto found = std::ranges::find(variables, name, &Variable::name);
    if (found == variables.end()) continue;
    for (const char* known : {"fp32", "tf32", "bf16", "fp16"}) {
      if (found->value == known) return known;
    }
  }
  return "fp32";
}

}  // namespace

WorkPerStep work_of(const Params& params, const RunParams& run) {
  const std::vector<Variable> variables = variables_of(params, run,
                                                       {run.device,
                                                        Pass::kTiming,
                                                        0,
                                                        static_cast<int>(run.world_size),
                                                        static_cast<int>(run.threads),
                                                        {}});
  WorkPerStep work;
  work.arithmetic = arithmetic_of(variables);
  const std::map<std::string, double> numbers = numbers_in(variables);
  work.tokens = amount(params.work_tokens, "work: tokens", numbers);
  const bool counted = params.work_flops == kCounted;
  if (counted && params.observe != "torch") {
    throw std::invalid_argument(
        "work: flops: `count` needs `observe: torch`; expected a formula such as `6 * {batch}`");
  }
  if (counted && run.warmup == 0) {
    throw std::invalid_argument(
        "work: flops: `count` counts in the first step, which must be warm-up, and warmup is 0");
  }
  const PhaseWork step{"step", counted ? 0 : amount(params.work_flops, "work: flops", numbers),
                       amount(params.work_bytes, "work: bytes", numbers)};
  if (step.flops > 0 || step.bytes > 0) work.phases.push_back(step);
  return work;
}

}  // namespace sweepd::command
