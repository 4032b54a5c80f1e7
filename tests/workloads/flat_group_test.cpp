#include "workloads/dist/flat_group.h"

#include <gtest/gtest.h>

namespace sweepd {
namespace {

at::Tensor leaf(at::IntArrayRef sizes, double value) {
  return at::full(sizes, value).requires_grad_(true);
}

TEST(FlatGroup, GivesEveryRankAnEqualPart) {
  struct Grouping {
    int world_size;
    std::int64_t part, numel;
  };
  for (const auto& [world_size, part, numel] :
       {Grouping{1, 7, 7}, {2, 4, 8}, {3, 3, 9}, {7, 1, 7}}) {
    const FlatGroup group({leaf({2, 2}, 1), leaf({3}, 2)}, 0, world_size);
    EXPECT_EQ(group.part_numel(), part);
    EXPECT_EQ(group.numel(), numel);
  }
}

TEST(FlatGroup, MovesParametersSoThatAllWhoHoldThemSee) {
  const at::Tensor a = leaf({2, 2}, 1), b = leaf({3}, 2);
  const at::Tensor held_elsewhere = b;
  FlatGroup group({a, b}, 1, 2);
  const at::Tensor flat = at::full({8}, 9.0);
  group.move_into(flat);
  EXPECT_TRUE(at::equal(flat, at::tensor({1.f, 1.f, 1.f, 1.f, 2.f, 2.f, 2.f, 0.f})));
  flat.fill_(5);
  EXPECT_TRUE(at::equal(a.detach(), at::full({2, 2}, 5.0)));
  EXPECT_TRUE(at::equal(held_elsewhere.detach(), at::full({3}, 5.0)));
  EXPECT_TRUE(held_elsewhere.requires_grad() && held_elsewhere.is_leaf());
  group.part(flat).fill_(6);  // rank 1 of 2 owns the second half
  EXPECT_TRUE(at::equal(b.detach(), at::full({3}, 6.0)));
}

TEST(FlatGroup, TakesGradientsAndLetsGoOfThem) {
  const at::Tensor a = leaf({2}, 1), unused = leaf({2}, 1), b = leaf({1}, 1);
  FlatGroup group({a, unused, b}, 0, 4);
  (a.sum() + 3 * b.sum()).backward();
  const at::Tensor flat = at::full({8}, 9.0);
  group.take_gradients(flat, 0.5);
  EXPECT_TRUE(at::equal(flat, at::tensor({.5f, .5f, 0.f, 0.f, 1.5f, 0.f, 0.f, 0.f})));
  EXPECT_FALSE(a.grad().defined());
  EXPECT_FALSE(b.grad().defined());
}

TEST(FlatGroup, RefusesWhatCannotLieTogether) {
  EXPECT_THROW(FlatGroup({}, 0, 1), std::invalid_argument);
  EXPECT_THROW(FlatGroup({at::ones({1}), at::ones({1}, at::kBFloat16)}, 0, 1),
               std::invalid_argument);
}

}  // namespace
}  // namespace sweepd
