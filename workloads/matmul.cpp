// C = A B with square matrices: the most that the device's arithmetic achieves, as the reference
// for other figures.
#include <c10/core/GradMode.h>
#include "workloads/torch/aten.h"

#include <cmath>

#include "workloads/api/workload.h"
#include "workloads/linear/linear.h"
#include "workloads/nn/numerics.h"
#include "workloads/nn/torch_device.h"

namespace sweepd {
namespace {

struct MatmulParams {
  std::int64_t size = 4096;
  std::string precision = "fp32";
  std::string products = "torch";

  void visit(auto& field) {
    field("size", size, "rows and columns of both matrices", at_least(1), at_most(1 << 20),
          GrowsMemory(), Matters());
    field("precision", precision, "type of the matrices; tf32 is fp32 on tensor cores",
          one_of({"fp32", "tf32", "bf16", "fp16"}), Matters());
    field("products", products,
          "torch: at::mm; tuned: cuBLASLt, the fastest of its algorithms, timed in the warm-up and "
          "kept in the cache folder",
          one_of({"torch", "tuned"}));
  }
};

class Matmul final : public Workload {
 public:
  using Params = MatmulParams;
  static constexpr std::string_view kHelp =
      "C = A B, square: the device's measured arithmetic limit";
  static constexpr int kVersion = 1;

  // 2 n^3: n^2 dot products of n multiply-adds. Bytes: both operands read once, C written once.
  static WorkPerStep work(const Params& params, const RunParams&) {
    const auto n = static_cast<double>(params.size);
    const auto element = static_cast<double>(operand_bytes(precision_from(params.precision)));
    WorkPerStep work;
    work.arithmetic = params.precision;
    work.ruler = Ruler::kArithmetic;
    work.phases.push_back({"step", 2 * n * n * n, 3 * n * n * element});
    work.figures.push_back({"operands_bytes", 3 * n * n * element, "3 n^2 bytes_per_element"});
    return work;
  }

  Matmul(const Params& params, Context& context)
      : precision_(precision_from(params.precision)), n_(params.size) {
    const at::Device device = torch_device(context.device);
    prepare_precision(precision_, device);
    way_ = linear_way(params.products == "tuned", false, device);
    c10::NoGradGuard no_grad;
    const auto options = at::TensorOptions().device(device).dtype(operand_type(precision_));
    at::Generator random = seeded_generator(device, context.run.seed);
    // Not zeros: a GPU that multiplies zeros uses less power and clocks higher.
    a_ = at::empty({n_, n_}, options).uniform_(-1, 1, random);
    b_ = at::empty({n_, n_}, options).uniform_(-1, 1, random);
    c_ = at::empty({n_, n_}, options);
  }

  void step(Phases&) override { multiply(); }

  // Compares sixteen entries with double-precision dot products of the same (rounded) operands.
  std::optional<Check> check() override {
    multiply();
    c10::NoGradGuard no_grad;
    Check check;
    const double allowed = tolerance();
    for (std::int64_t i = 0; i < 16; ++i) {
      const std::int64_t row = (i * 7919) % n_, column = (i * 104729 + 1) % n_;
      const at::Tensor left = a_.select(0, row).to(at::kCPU, at::kDouble);
      const at::Tensor right = b_.select(1, column).to(at::kCPU, at::kDouble);
      const double expected = left.dot(right).item<double>();
      const double got = c_.select(0, row).select(0, column).item<double>();
      check.largest_error = std::max(check.largest_error, std::abs(got - expected));
    }
    if (!(check.largest_error <= allowed)) {
      check.passed = false;
      check.message = "an entry of C is off by " + std::to_string(check.largest_error) +
                      "; allowed " + std::to_string(allowed);
    }
    return check;
  }

  void facts(Facts& facts) override { add_tuning(way_, facts); }

 private:
  void multiply() {
    c10::NoGradGuard no_grad;
    if (way_.is_torch()) {
      at::mm_out(c_, a_, b_);
    } else {
      way_.multiply(c_, a_, b_);
    }
  }

  // Entries are sums of n products of variance 1/9, so their size is sqrt(n)/3. Rounding a product
  // (tf32) or the result (16-bit types) costs the unit roundoff of that. Adding n terms in fp32
  // costs at most sqrt(n) roundoffs of fp32 for random signs. Allows eight times the expectation.
  double tolerance() const {
    const double root = std::sqrt(static_cast<double>(n_));
    return 8 * (root / 3 + 1) * (unit_roundoff(precision_) + root * 0x1p-24);
  }

  Precision precision_;
  std::int64_t n_;
  LinearWay way_;
  at::Tensor a_, b_, c_;
};

REGISTER_WORKLOAD("matmul", Matmul);

}  // namespace
}  // namespace sweepd
