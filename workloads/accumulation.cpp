// A long sum of one small number, as in mixed precision: shows the effect of the types of the
// accumulator and of the addend. Each addition is a separate operation, because the rounding
// happens there.
#include <fmt/format.h>
#include "workloads/torch/aten.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "workloads/api/workload.h"
#include "workloads/nn/dtype_names.h"
#include "workloads/nn/torch_device.h"

namespace sweepd {
namespace {

struct AccumulationParams {
  std::int64_t count = 1000;
  double increment = 0.01;
  std::string accumulator = "fp32";
  std::string addend = "fp32";
  std::string conversion = "implicit";

  void visit(auto& field) {
    field("count", count, "additions in a step", at_least(1), at_most(1e7), Matters());
    field("increment", increment,
          "the number that is added, before it is rounded to the addend's type", Matters());
    field("accumulator", accumulator, "type of the sum", one_of({"fp32", "fp16", "bf16"}),
          Matters());
    field("addend", addend, "type of the addend", one_of({"fp32", "fp16", "bf16"}), Matters());
    field("conversion", conversion,
          "implicit: the addition itself promotes the addend; explicit: it is converted to the "
          "accumulator's type first, by a separate operation",
          one_of({"implicit", "explicit"}));
  }
};

// Rounds the value to `type` and returns it as an equal double.
double rounded(double value, at::ScalarType type) {
  switch (type) {
    case at::kHalf:
      return static_cast<double>(static_cast<float>(at::Half(static_cast<float>(value))));
    case at::kBFloat16:
      return static_cast<double>(static_cast<float>(at::BFloat16(static_cast<float>(value))));
    default:
      return static_cast<double>(static_cast<float>(value));
  }
}

// Returns the shortest text that parses back to the same double, at most 17 digits:
// 10.000133514404297, 4.0.
std::string exact_text(double value) {
  std::string text = fmt::format("{}", value);
  if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

class Accumulation final : public Workload {
 public:
  using Params = AccumulationParams;
  static constexpr std::string_view kHelp =
      "Sum of one small number, added many times in low precision: result and error as facts";
  static constexpr std::string_view kPasses[] = {"timing"};

  // None: starting each addition takes the time, and no formula describes that.
  static WorkPerStep work(const Params&, const RunParams&) { return {}; }

  Accumulation(const Params& params, Context& context)
      : params_(params),
        type_(scalar_type_from(params.accumulator)),
        addend_type_(scalar_type_from(params.addend)) {
    const auto options = at::TensorOptions().device(torch_device(context.device));
    sum_ = at::zeros({}, options.dtype(type_));
    addend_ = at::full({}, params.increment, options.dtype(addend_type_));
  }

  void step(Phases&) override {
    sum_.zero_();
    const bool convert = params_.conversion == "explicit";
    for (std::int64_t i = 0; i < params_.count; ++i) {
      sum_.add_(convert ? addend_.to(type_) : addend_);
    }
  }

  // Compares with the same sum on the host, with one rounding per addition. Every bit must be
  // equal, or the figures do not match the types.
  std::optional<Check> check() override {
    Check check;
    double expected = 0;
    double addend = rounded(params_.increment, addend_type_);
    if (params_.conversion == "explicit") addend = rounded(addend, type_);
    for (std::int64_t i = 0; i < params_.count; ++i) {
      // Low precision adds in fp32 and rounds the result, on CPUs and GPUs alike.
      expected = rounded(static_cast<float>(expected) + static_cast<float>(addend), type_);
    }
    sum_.zero_();
    NoPhases none;
    step(none);
    const double found = result();
    check.largest_error = std::abs(found - expected);
    check.passed = found == expected || (std::isnan(found) && std::isnan(expected));
    if (!check.passed) {
      check.message = fmt::format("the device's sum is {}, the host's {}", exact_text(found),
                                  exact_text(expected));
    }
    return check;
  }

  void facts(Facts& facts) override {
    const double exact = static_cast<double>(params_.count) * params_.increment;
    const double addend = rounded(params_.increment, addend_type_);
    facts.text("result", exact_text(result()));
    facts.number("error", result() - exact);
    facts.number("exact", exact);
    facts.text("addend", exact_text(addend));
    // The part of the error that the rounding of the addend explains; the additions cause the rest.
    facts.number("addend_error", static_cast<double>(params_.count) * (addend - params_.increment));
  }

 private:
  double result() const { return sum_.item<double>(); }

  Params params_;
  at::ScalarType type_, addend_type_;
  at::Tensor sum_, addend_;  // both []
};

REGISTER_WORKLOAD("accumulation", Accumulation);

}  // namespace
}  // namespace sweepd
