#include "workloads/torch/collectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <tuple>

#include "tests/workloads/ranks.h"

namespace sweepd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Whole numbers, exact in every type: rank r has r + 1, r + 2, ...
at::Tensor own_part(int rank, std::int64_t n, at::ScalarType type) {
  return at::arange(rank + 1, rank + 1 + n, at::kDouble).remainder(7).to(type);
}

at::Tensor sum_of_parts(int world_size, std::int64_t n, at::ScalarType type) {
  at::Tensor sum = at::zeros({n}, type);
  for (int rank = 0; rank < world_size; ++rank) sum += own_part(rank, n, type);
  return sum;
}

using BackendAndRanks = std::tuple<std::string, int>;  // backend, world size

class EveryBackend : public ::testing::TestWithParam<BackendAndRanks> {
 protected:
  // Runs `body` on all ranks, with collectives that are already made.
  void together(const std::function<void(Collectives&)>& body) {
    const auto& [backend, world_size] = GetParam();
    expect_ranks(world_size,
                 [&, name = backend](Context& context) { body(*make_collectives(name, context)); });
  }
};

TEST_P(EveryBackend, SumsInPlace) {
  together([](Collectives& all) {
    for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16}) {
      for (const std::int64_t n : {1, 2, 1000, 65'537}) {
        at::Tensor tensor = own_part(all.rank(), n, type);
        all.all_reduce(tensor);
        EXPECT_TRUE(tensor.equal(sum_of_parts(all.world_size(), n, type)))
            << toString(type) << " of " << n;
      }
    }
  });
}

// When a call returns, its tensors are the caller's alone. A step that drops them then frees them,
// whenever the backend's threads next run.
TEST_P(EveryBackend, KeepsNothingOfWhatItWasGiven) {
  together([](Collectives& all) {
    for (int call = 0; call < 50; ++call) {
      const at::Tensor whole = at::ones({1000 * all.world_size()}), part = at::ones({1000});
      const auto expect_alone = [&](const char* operation) {
        EXPECT_EQ(whole.use_count() + part.use_count(), 2U) << operation << " " << call;
        EXPECT_EQ(whole.storage().use_count() + part.storage().use_count(), 2U)
            << operation << " " << call;
      };
      all.all_reduce(whole);
      expect_alone("all_reduce");
      all.reduce_scatter(part, whole);
      expect_alone("reduce_scatter");
      all.all_gather(whole, part);
      expect_alone("all_gather");
      all.broadcast(part, 0);
      expect_alone("broadcast");
    }
  });
}

TEST_P(EveryBackend, ScattersTheSumByRank) {
  together([](Collectives& all) {
    const std::int64_t n = 1000;
    const at::Tensor input = own_part(all.rank(), n * all.world_size(), at::kFloat);
    const at::Tensor before = input.clone();
    const at::Tensor output = at::full({n}, -1, at::kFloat);
    all.reduce_scatter(output, input);
    const at::Tensor sum = sum_of_parts(all.world_size(), n * all.world_size(), at::kFloat);
    EXPECT_TRUE(output.equal(sum.narrow(0, n * all.rank(), n)));
    EXPECT_TRUE(input.equal(before));
  });
}

TEST_P(EveryBackend, GathersByRankAlsoFromWithinTheOutput) {
  together([](Collectives& all) {
    const std::int64_t n = 1000;
    at::Tensor expected = at::empty({all.world_size() * n}, at::kFloat);
    for (int rank = 0; rank < all.world_size(); ++rank) {
      expected.narrow(0, rank * n, n).copy_(own_part(rank, n, at::kFloat));
    }
    const at::Tensor output = at::full({all.world_size() * n}, -1, at::kFloat);
    all.all_gather(output, own_part(all.rank(), n, at::kFloat));
    EXPECT_TRUE(output.equal(expected));

    const at::Tensor in_place = at::full({all.world_size() * n}, -1, at::kFloat);
    const at::Tensor mine = in_place.narrow(0, all.rank() * n, n);
    mine.copy_(own_part(all.rank(), n, at::kFloat));
    all.all_gather(in_place, mine);
    EXPECT_TRUE(in_place.equal(expected));
  });
}

TEST_P(EveryBackend, BroadcastsFromEachRoot) {
  together([](Collectives& all) {
    for (int root = 0; root < all.world_size(); ++root) {
      const at::Tensor tensor = own_part(all.rank(), 1000, at::kFloat);
      all.broadcast(tensor, root);
      EXPECT_TRUE(tensor.equal(own_part(root, 1000, at::kFloat))) << "from " << root;
    }
  });
}

TEST_P(EveryBackend, AgreesOnTheLargest) {
  together([](Collectives& all) {
    EXPECT_EQ(all.largest(all.rank() + 0.5), all.world_size() - 0.5);
    EXPECT_EQ(all.largest(-all.rank()), 0);
  });
}

TEST_P(EveryBackend, RefusesWhatDoesNotFit) {
  together([](Collectives& all) {
    const at::Tensor part = at::zeros({3});
    EXPECT_THROW(all.all_gather(at::zeros({3 * all.world_size() + 1}), part),
                 std::invalid_argument);
    EXPECT_THROW(all.reduce_scatter(part, at::zeros({3 * all.world_size() - 1})),
                 std::invalid_argument);
    EXPECT_THROW(all.all_reduce(at::zeros({4, 4}).t()), std::invalid_argument);
    EXPECT_THROW(all.broadcast(part, all.world_size()), std::invalid_argument);
    all.barrier();  // and it still works
  });
}

INSTANTIATE_TEST_SUITE_P(Backends, EveryBackend,
                         ::testing::Combine(::testing::Values("gloo", "shm"),
                                            ::testing::Values(1, 2, 3, 4)),
                         [](const auto& test) {
                           return std::get<0>(test.param) + std::to_string(std::get<1>(test.param));
                         });

TEST(Collectives, NotesEachOperationAndTimesTheMeeting) {
  const auto ranks = run_ranks(2, [](Context& context) {
    const auto all = make_collectives("gloo", context);
    at::Tensor tensor = at::ones({2});
    all->all_reduce(tensor);
    all->largest(1);
  });
  for (const RankResult& rank : ranks) {
    EXPECT_EQ(rank.error, "");
    EXPECT_THAT(rank.notes, ElementsAre("rendezvous", "barrier 1", "barrier 1 left", "all_reduce 2",
                                        "all_reduce 2 left", "largest 3", "largest 3 left"));
    ASSERT_EQ(rank.setup.values.count("setup/rendezvous_time"), 1U);
    EXPECT_GT(rank.setup.values.at("setup/rendezvous_time").at(0), 0);
  }
}

TEST(Collectives, ARankThatGoesBreaksTheOthersOperation) {
  const auto ranks = run_ranks(3, [](Context& context) {
    const auto all = make_collectives("gloo", context);
    if (context.rank == 1) return;  // its collectives are destroyed here
    at::Tensor tensor = at::ones({1'000'000});
    all->all_reduce(tensor);
  });
  EXPECT_EQ(ranks[1].error, "");
  for (const std::size_t rank : {0U, 2U}) {
    EXPECT_THAT(ranks[rank].error, HasSubstr("all_reduce 2 over gloo: "));
    EXPECT_EQ(ranks[rank].notes.back(), "all_reduce 2");
  }
}

// Gloo only sometimes notices the closed socket in a write, so this test checks the signal itself.
TEST(Collectives, AWriteToARankThatWentIsAnErrorAndNotASignal) {
  const auto before = std::signal(SIGPIPE, SIG_DFL);
  expect_ranks(2, [](Context& context) { make_collectives("gloo", context); });
  EXPECT_EQ(std::signal(SIGPIPE, before), SIG_IGN);
}

TEST(Collectives, NamesTheNearestBackend) {
  const auto ranks = run_ranks(1, [](Context& context) { make_collectives("glo", context); });
  EXPECT_THAT(ranks[0].error, HasSubstr("did you mean `gloo`?"));
}

}  // namespace
}  // namespace sweepd
