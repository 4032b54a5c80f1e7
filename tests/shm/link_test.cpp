#include "workloads/dist/shm/link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cerrno>

#include "tests/shm/process_ranks.h"

namespace sweepd::shm {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

constexpr std::chrono::seconds kTimeout{20};
constexpr std::uint64_t kNothingIsHere = 8;  // an address that no process has

// Written by one process and read by another.
class Signpost {
 public:
  Signpost() {
    if (::pipe(ends_) != 0) throw std::runtime_error("pipe failed");
  }
  ~Signpost() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  void reached() {
    if (::write(ends_[1], "", 1) != 1) throw std::runtime_error("write failed");
  }
  void wait() {
    char byte = 0;
    if (::read(ends_[0], &byte, 1) != 1) throw std::runtime_error("read failed");
  }

 private:
  int ends_[2];
};

TEST(Link, AnAddressThatAPeerDoesNotHaveIsAnErrorOfItsMemory) {
  const auto region = Region::create(2);
  ProcessRanks ranks(2, [&](int rank) {
    Link link(region, rank, Reach::kBest, kTimeout);
    std::byte byte{};
    if (rank == 0) link.read_from(1, kNothingIsHere, &byte, 1);
    link.next_turn();
  });
  EXPECT_THAT(ranks.wait()[0], StartsWith("cannot read the memory of rank 1 (process "));
}

// Rank 0 has ended when rank 2 comes, because of another rank.
TEST(Link, ARankThatGaveUpWaitingIsNotBlamedForTheOneThatDidNotCome) {
  const auto region = Region::create(3);
  ProcessRanks first(
      1, [&](int) { const Link link(region, 0, Reach::kBest, std::chrono::milliseconds(10)); });
  EXPECT_THAT(first.wait(), ElementsAre("ranks 1, 2 did not arrive in time"));
  ProcessRanks last(1, [&](int) { const Link link(region, 2, Reach::kBest, kTimeout); });
  EXPECT_THAT(last.wait(), ElementsAre("rank 1 did not arrive in time"));
}

// Rank 0 finds rank 1 dead and frees memory that rank 2 still reads: rank 2 must not blame rank 0.
TEST(Link, MemoryThatAPeerFreedBecauseOfADeadRankIsBlamedOnTheDead) {
  const auto region = Region::create(3);
  Signpost all_met, found_gone;
  ProcessRanks ranks(3, [&](int rank) {
    Link link(region, rank, Reach::kBest, kTimeout);
    if (rank == 1) {
      all_met.reached();
      while (true) ::pause();
    } else if (rank == 0) {
      try {
        link.next_turn();
      } catch (const std::runtime_error&) {
        found_gone.reached();
        throw;
      }
    } else {
      found_gone.wait();
      std::byte byte{};
      link.write_to(0, kNothingIsHere, &byte, 1);
    }
  });
  all_met.wait();
  ranks.kill(1);
  const auto errors = ranks.wait();
  EXPECT_THAT(errors[0], StartsWith("rank 1 (process "));
  EXPECT_EQ(errors[2], errors[0]);
}

}  // namespace
}  // namespace sweepd::shm
