#include "workloads/dist/shm/join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>
#include <thread>
#include <vector>

#include "tests/shm/process_ranks.h"
#include "tests/worker/temp_folder.h"

namespace sweepd::shm {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

Place place_in(const TempFolder& folder, int rank, int world_size) {
  return {folder.path(), rank, world_size, std::chrono::seconds(20), Reach::kBest};
}

void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

// Checks one all_reduce in every kind of memory.
void sum_everywhere(Group& group) {
  const std::size_t count = 300'001;
  const auto sum = static_cast<float>(group.world_size() * (group.world_size() + 1) / 2);
  const auto fill_and_sum = [&](float* data) {
    std::fill_n(data, count, static_cast<float>(group.rank() + 1));
    group.all_reduce(data, count, Type::kFp32);
    require(std::all_of(data, data + count, [&](float x) { return x == sum; }), "wrong sum");
  };
  std::vector<float> own(count);
  fill_and_sum(own.data());
  void* const shared = group.heap()->allocate(count * sizeof(float));
  fill_and_sum(static_cast<float*>(shared));
  group.heap()->release(shared);
}

TEST(Join, ProcessesMeetThroughAFolderAndLeaveNothingInIt) {
  const TempFolder folder;
  for (const int world_size : {1, 2, 4}) {
    for (const Reach reach : {Reach::kBest, Reach::kStaged}) {
      ProcessRanks ranks(world_size, [&](int rank) {
        Place place = place_in(folder, rank, world_size);
        place.reach = reach;
        sum_everywhere(*join_group(place));
        sum_everywhere(*join_group(place));  // a second group of the same attempt
      });
      EXPECT_THAT(ranks.wait(), Each("")) << world_size;
      EXPECT_THAT(names_in(folder.path()), IsEmpty());
    }
  }
}

TEST(Join, RanksThatDoNotComeAreNamed) {
  const TempFolder folder;
  ProcessRanks ranks(1, [&](int) {
    Place place = place_in(folder, 0, 3);
    place.timeout = std::chrono::milliseconds(30);
    join_group(place);
  });
  EXPECT_THAT(ranks.wait(), Each("ranks 1, 2 did not arrive in time"));
  EXPECT_THAT(names_in(folder.path()), IsEmpty());

  ProcessRanks late(1, [&](int) {
    Place place = place_in(folder, 1, 2);
    place.timeout = std::chrono::milliseconds(30);
    join_group(place);
  });
  EXPECT_THAT(late.wait()[0], HasSubstr("rank 0 did not arrive within 0.03 s"));
}

TEST(Join, AnotherWorldSizeIsRefused) {
  const TempFolder folder;
  ProcessRanks first(1, [&](int) { join_group(place_in(folder, 0, 2)); });
  ProcessRanks other(1, [&](int) { join_group(place_in(folder, 1, 3)); });
  EXPECT_THAT(other.wait(), ElementsAre("shm: rank 1 has world_size 3, rank 0 has 2"));
  first.kill(0);  // it waits for a rank that will not come
}

// So no file of it can remain, in /dev/shm or elsewhere, after any rank's death at any time.
TEST(Join, TheMemoryHasNoName) {
  const auto region = Region::create(2);
  const auto link = "/proc/self/fd/" + std::to_string(region->fd());
  EXPECT_EQ(std::filesystem::read_symlink(link), "/memfd:sweepd (deleted)");
}

// The process is dead. If its pid was used again, its address belongs to another process.
TEST(Join, AnAddressThatADeadRankLeftIsIgnored) {
  const TempFolder folder;
  std::ofstream(folder.path() / "shm.address") << ::getpid() << " 1 0\n";
  ProcessRanks ranks(2, [&](int rank) {
    if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    sum_everywhere(*join_group(place_in(folder, rank, 2)));
  });
  EXPECT_THAT(ranks.wait(), Each(""));
}

TEST(Join, ARankKilledInTheMiddleLeavesNothingAndEndsTheOthers) {
  for (const int delay_ms : {0, 20, 60}) {  // while they meet, and while they reduce
    const TempFolder folder;
    ProcessRanks ranks(3, [&](int rank) {
      Place place = place_in(folder, rank, 3);
      place.timeout = std::chrono::seconds(5);
      const auto group = join_group(place);
      while (true) sum_everywhere(*group);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
    ranks.kill(1);
    const auto errors = ranks.wait();
    EXPECT_EQ(errors[1], "killed");
    for (const std::size_t rank : {0U, 2U}) {
      // It was noticed at a barrier, or while its memory was read, or it never came.
      EXPECT_THAT(errors[rank],
                  ::testing::AnyOf(HasSubstr("rank 1 (process "), "rank 1 did not arrive in time"));
    }
    EXPECT_THAT(names_in(folder.path()), IsEmpty());
  }
}

}  // namespace
}  // namespace sweepd::shm
