// A complete workload, as CONTRIBUTING.md shows it: y = a x + y on vectors, without LibTorch.
#include <vector>

#include "workloads/api/workload.h"

namespace sweepd {
namespace {

struct AxpyParams {
  std::int64_t size = 1'000'000;
  void visit(auto& field) { field("size", size, "elements of x and y", at_least(1)); }
};

class Axpy final : public Workload {
 public:
  using Params = AxpyParams;
  static constexpr std::string_view kHelp = "y = 2 x + y in fp32";
  static constexpr std::string_view kPhases[] = {"axpy"};

  // Each element needs a multiply and an add; x and y are read and y is written, 4 bytes each.
  static WorkPerStep work(const Params& p, const RunParams&) {
    const auto n = static_cast<double>(p.size);
    return {"fp32", 0, {{"step", 2 * n, 12 * n}}, {}};
  }
  Axpy(const Params& p, Context&) : x_(p.size, 1.0F), y_(p.size, 1.0F) {}

  void step(Phases& phases) override {
    phases.enter("axpy");
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] += 2.0F * x_[i];
  }
  void facts(Facts& facts) override { facts.number("y.0", y_[0]); }

 private:
  std::vector<float> x_, y_;
};
REGISTER_WORKLOAD("axpy", Axpy);

}  // namespace
}  // namespace sweepd
