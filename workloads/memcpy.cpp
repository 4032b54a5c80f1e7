// A copy from one buffer to another on the device: its measured memory bandwidth.
#include "workloads/torch/aten.h"

#include <algorithm>

#include "workloads/api/workload.h"
#include "workloads/nn/torch_device.h"

namespace sweepd {
namespace {

struct MemcpyParams {
  Bytes bytes = 256_MiB;
  Bytes working_set = 2_GiB;

  void visit(auto& field) {
    field("bytes", bytes, "size of one copy", at_least(1), Matters());
    field("working_set", working_set,
          "steps cycle through pairs of buffers of about this size in total (at most 256 pairs), "
          "so that a smaller cache holds none of the next read; 0 is a single pair",
          at_least(0));
  }
};

class Memcpy final : public Workload {
 public:
  using Params = MemcpyParams;
  static constexpr std::string_view kHelp =
      "Copy of one buffer to another on the device: the measured memory bandwidth";
  static constexpr int kVersion = 2;

  // STREAM's convention: each byte is read once and written once. A CPU without streaming stores
  // also reads the line that it is about to write, which no formula here counts.
  static WorkPerStep work(const Params& params, const RunParams&) {
    const auto bytes = static_cast<double>(params.bytes.value);
    WorkPerStep work;
    work.ruler = Ruler::kMemory;
    work.phases.push_back({"step", 0, 2 * bytes});
    work.figures.push_back(
        {"buffers_bytes", 2 * bytes * static_cast<double>(pairs(params)), "2 bytes pairs"});
    return work;
  }

  Memcpy(const Params& params, Context& context) {
    const auto options = at::TensorOptions().device(torch_device(context.device)).dtype(at::kByte);
    for (std::int64_t i = 0; i < pairs(params); ++i) {
      // Written now, so that no step pays for the system's first touch of a page.
      from_.push_back(at::full({params.bytes.value}, (i + 1) & 0xff, options));
      to_.push_back(at::zeros({params.bytes.value}, options));
    }
  }

  void step(Phases&) override {
    to_[next_].copy_(from_[next_], /*non_blocking=*/true);
    next_ = (next_ + 1) % to_.size();
  }

  std::optional<Check> check() override {
    Check check;
    for (std::size_t i = 0; i < to_.size(); ++i) {
      to_[i].copy_(from_[i]);
      if (to_[i].equal(from_[i])) continue;
      check.passed = false;
      check.message = "buffer " + std::to_string(i) + " differs from its source";
      break;
    }
    return check;
  }

 private:
  static std::int64_t pairs(const Params& params) {
    const std::int64_t pair = 2 * params.bytes.value;
    return std::clamp<std::int64_t>((params.working_set.value + pair - 1) / pair, 1, 256);
  }

  std::vector<at::Tensor> from_, to_;
  std::size_t next_ = 0;
};

REGISTER_WORKLOAD("memcpy", Memcpy);

}  // namespace
}  // namespace sweepd
