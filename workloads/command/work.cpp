#include "workloads/command/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "runner/base/arithmetic.h"
#include "workloads/command/variables.h"
#include "workloads/command/words.h"

namespace sweepd::command {
namespace {

double amount(const std::string& formula, const char* name,
              const std::vector<Variable>& variables) {
  if (formula.empty()) return 0;
  const auto value = evaluate(substitute(formula, variables, name));
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
  work.tokens = amount(params.work_tokens, "work: tokens", variables);
  const bool counted = params.work_flops == kCounted;
  if (counted && params.observe != "torch") {
    throw std::invalid_argument(
        "work: flops: `count` needs `observe: torch`; expected a formula such as `6 * {batch}`");
  }
  if (counted && run.warmup == 0) {
    throw std::invalid_argument(
        "work: flops: `count` counts in the first step, which must be warm-up, and warmup is 0");
  }
  const PhaseWork step{"step", counted ? 0 : amount(params.work_flops, "work: flops", variables),
                       amount(params.work_bytes, "work: bytes", variables)};
  if (step.flops > 0 || step.bytes > 0) work.phases.push_back(step);
  return work;
}

}  // namespace sweepd::command
