// Products of bf16 that sweepd computes in fp32 are exact products of bf16 numbers, summed in fp32
// and rounded once. A CPU with instructions for them has LibTorch's own, which are not ours to
// test.
#include "workloads/cpu/bf16_products.h"

#include <ATen/record_function.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "workloads/torch/aten.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "runner/base/instruction_sets.h"

namespace sweepd {
namespace {

class Bf16Products : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_bf16_products_in_fp32()) GTEST_SKIP() << "LibTorch computes them on this CPU";
  }
};

at::Tensor drawn(at::IntArrayRef sizes) {
  at::manual_seed(1);
  return at::randn(sizes).to(at::kBFloat16);
}

// Rounding once is half of the last of 8 bits, and sums in another order may round to the other
// side.
void expect_rounded_once(const at::Tensor& result, const at::Tensor& exact) {
  ASSERT_EQ(result.scalar_type(), at::kBFloat16);
  ASSERT_EQ(result.sizes(), exact.sizes());
  const at::Tensor off = (result.to(at::kDouble) - exact).abs();
  const at::Tensor allowed = exact.abs() * 0x1p-8 + 1e-5;
  EXPECT_LE((off / allowed).max().item<double>(), 1.0);
}

TEST_F(Bf16Products, AreRoundedOnceWhateverTheLayout) {
  const at::Tensor a = drawn({33, 70}), b = drawn({70, 41});
  const at::Tensor exact = a.to(at::kDouble).mm(b.to(at::kDouble));
  expect_rounded_once(a.mm(b), exact);
  expect_rounded_once(a.t().contiguous().t().mm(b), exact);
  expect_rounded_once(a.mm(b.t().contiguous().t()), exact);
  expect_rounded_once(at::linear(a, b.t().contiguous()), exact);
}

TEST_F(Bf16Products, OfBatchesAreTheSame) {
  const at::Tensor a = drawn({3, 9, 20}), b = drawn({3, 20, 7});
  const at::Tensor exact = a.to(at::kDouble).bmm(b.to(at::kDouble));
  expect_rounded_once(a.bmm(b), exact);
  expect_rounded_once(at::matmul(a, b.narrow(0, 0, 1)),
                      a.to(at::kDouble).matmul(b[0].to(at::kDouble)));
}

TEST_F(Bf16Products, AddToWhatIsGiven) {
  const at::Tensor a = drawn({9, 20}), b = drawn({20, 7}), bias = drawn({7});
  expect_rounded_once(at::addmm(bias, a, b, 0.5, 2),
                      bias.to(at::kDouble) * 0.5 + 2 * a.to(at::kDouble).mm(b.to(at::kDouble)));
  const at::Tensor many = a.expand({2, 9, 20}), others = b.expand({2, 20, 7}),
                   to = drawn({2, 9, 7});
  expect_rounded_once(
      at::baddbmm(to, many, others, 0.5, 2),
      to.to(at::kDouble) * 0.5 + 2 * many.to(at::kDouble).matmul(b.to(at::kDouble)));
}

TEST_F(Bf16Products, AreWrittenWhereTheyAreWanted) {
  const at::Tensor a = drawn({9, 20}), b = drawn({20, 7}), to = drawn({9, 7});
  at::Tensor out = at::empty({9, 7}, at::kBFloat16);
  EXPECT_TRUE(at::equal(at::mm_out(out, a, b), a.mm(b)));
  EXPECT_TRUE(at::equal(at::addmm_out(out, to, a, b, 0.5, 2), at::addmm(to, a, b, 0.5, 2)));
  EXPECT_TRUE(at::equal(to.clone().addmm_(a, b, 0.5, 2), at::addmm(to, a, b, 0.5, 2)));
  at::Tensor many = at::empty({1, 9, 7}, at::kBFloat16);
  at::bmm_out(many, a.unsqueeze(0), b.unsqueeze(0));
  EXPECT_TRUE(at::equal(many[0], a.mm(b)));
  at::baddbmm_out(many, to.unsqueeze(0), a.unsqueeze(0), b.unsqueeze(0), 0.5, 2);
  EXPECT_TRUE(at::equal(many[0], at::addmm(to, a, b, 0.5, 2)));
  EXPECT_TRUE(
      at::equal(to.unsqueeze(0).clone().baddbmm_(a.unsqueeze(0), b.unsqueeze(0), 0.5, 2), many));
  EXPECT_TRUE(at::equal(at::mm_out(out = at::empty({0}, at::kBFloat16), a, b), a.mm(b)));
}

TEST_F(Bf16Products, RefuseSizesThatDoNotFit) {
  const at::Tensor a = drawn({9, 20}), b = drawn({7, 20});
  EXPECT_THROW(a.mm(b), c10::Error);
  EXPECT_THROW(a.unsqueeze(0).bmm(b.unsqueeze(0)), c10::Error);
  EXPECT_THROW(at::addmm(drawn({3, 3}), a, b.t()), c10::Error);
  EXPECT_EQ(drawn({0, 20}).mm(b.t()).size(0), 0);
}

// A second product must not overwrite the first one's result.
TEST_F(Bf16Products, KeepTheirResults) {
  const at::Tensor a = drawn({9, 20}), b = drawn({20, 7});
  const at::Tensor first = a.mm(b), copy = first.clone();
  (a * 2).mm(b);
  EXPECT_TRUE(at::equal(first, copy));
}

TEST_F(Bf16Products, LeaveOtherTypesAlone) {
  const at::Tensor a = at::randn({9, 20}), b = at::randn({20, 7});
  EXPECT_TRUE(at::equal(a.mm(b), at::addmm(at::zeros({9, 7}), a, b)));
  EXPECT_EQ(a.to(at::kDouble).mm(b.to(at::kDouble)).scalar_type(), at::kDouble);
  EXPECT_THROW(a.mm(b.to(at::kBFloat16)), c10::Error);
}

std::vector<std::string> recorded;

TEST_F(Bf16Products, AreOneOperationInAProfile) {
  const at::Tensor a = drawn({9, 20}), b = drawn({20, 7});
  recorded.clear();
  const auto handle = at::addThreadLocalCallback(at::RecordFunctionCallback(
      [](const at::RecordFunction& function) -> std::unique_ptr<at::ObserverContext> {
        recorded.emplace_back(function.name());
        return nullptr;
      }));
  a.mm(b);
  at::removeCallback(handle);
  EXPECT_THAT(recorded, testing::ElementsAre("aten::mm"));
}

#if defined(__x86_64__)
TEST(Bf16ProductsChoice, AreInFp32WhereTheCpuHasNone) {
  const char* native = std::getenv("SWEEPD_BF16_NATIVE");
  const bool chosen = native == nullptr || std::string(native) != "1";
  EXPECT_EQ(has_bf16_products_in_fp32(), chosen && !has_avx512());
}
#endif

}  // namespace
}  // namespace sweepd
