// Makes every NCCL call with one rank and checks every result. Several ranks need several GPUs
// (docs/DISTRIBUTED.md). Skipped without a GPU.
#include <gtest/gtest.h>
#include "workloads/torch/aten.h"

#include "tests/worker/temp_folder.h"
#include "workloads/api/failure.h"
#include "workloads/torch/collectives.h"

namespace sweepd {
namespace {

class Nccl : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      DeviceOptions options;
      options.kind = "cuda";
      device = make_device(options);
    } catch (const Unavailable& reason) {
      GTEST_SKIP() << reason.what();
    }
    context.emplace(Context{*device, Pass::kTiming, 0, 1, 1, {}, folder.path()});
    all = make_collectives("nccl", *context);
  }

  TempFolder folder;
  std::unique_ptr<Device> device;
  std::optional<Context> context;
  std::unique_ptr<Collectives> all;
};

TEST_F(Nccl, OneRankGetsBackWhatItBrought) {
  EXPECT_EQ(all->backend(), "nccl");
  all->barrier();
  EXPECT_EQ(all->largest(2.5), 2.5);
  for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16}) {
    const auto options = at::TensorOptions().dtype(type).device(at::kCUDA);
    const at::Tensor values = at::arange(1000, options).remainder(100);
    const at::Tensor tensor = values.clone(), output = at::zeros({1000}, options);
    all->all_reduce(tensor);
    EXPECT_TRUE(tensor.equal(values));
    all->broadcast(tensor, 0);
    EXPECT_TRUE(tensor.equal(values));
    all->all_gather(output, values);
    EXPECT_TRUE(output.equal(values));
    output.zero_();
    all->reduce_scatter(output, values);
    EXPECT_TRUE(output.equal(values));
  }
}

TEST_F(Nccl, RefusesWhatItCannotCarry) {
  const at::Tensor tensor = at::zeros({4}, at::TensorOptions().dtype(at::kBool).device(at::kCUDA));
  EXPECT_THROW(all->all_reduce(tensor), std::invalid_argument);
}

}  // namespace
}  // namespace sweepd
