#include "runner/daemon/attempts/hang.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sweepd {
namespace {

using Ranks = std::vector<int>;

TEST(FindHang, NamesWhoHadNotArrivedAndWhere) {
  const struct {
    const char* what;
    std::vector<std::string> notes;  // by rank
    std::vector<int> suspended;
    const char* collective;
    Ranks waited_for;
  } cases[] = {
      {"one has not come",
       {"all_reduce 12", "all_reduce 12", "barrier 11 left"},
       {},
       "all_reduce 12",
       {2}},
      {"two have not come",
       {"barrier 3 left", "all_gather 4", "barrier 3 left"},
       {},
       "all_gather 4",
       {0, 2}},
      {"one never joined", {"rendezvous", "", "rendezvous"}, {}, "rendezvous", {1}},
      {"one is not past the rendezvous", {"barrier 1", "rendezvous"}, {}, "barrier 1", {1}},
      {"one was stopped inside", {"all_reduce 12", "all_reduce 12"}, {1}, "all_reduce 12", {1}},
      {"one was stopped on its way",
       {"all_reduce 12", "barrier 11 left", "barrier 11 left"},
       {1},
       "all_reduce 12",
       {1, 2}},
      {"one waits an operation behind for the one that was stopped",
       {"all_reduce 12", "all_reduce 11", "all_reduce 11"},
       {2},
       "all_reduce 12",
       {2}},
      {"each waits for the next",
       {"all_reduce 12", "all_reduce 11", "all_reduce 10"},
       {},
       "all_reduce 12",
       {2}},
      {"two are slow in the same operation",
       {"all_reduce 12", "all_reduce 11", "all_reduce 11"},
       {},
       "all_reduce 12",
       {1, 2}},
      {"all are in it", {"all_reduce 12", "all_reduce 12"}, {}, "all_reduce 12", {}},
      {"one is through, the other is not",
       {"all_reduce 12 left", "all_reduce 12"},
       {},
       "all_reduce 12",
       {}},
      {"one is through, one is in it, and one has not come",
       {"all_reduce 12 left", "all_reduce 12", "barrier 11 left"},
       {},
       "all_reduce 12",
       {2}},
      {"nobody is in one", {"all_reduce 12 left", "all_reduce 11 left"}, {}, "", {}},
      {"none of these works together", {"", ""}, {}, "", {}},
      {"all were stopped", {"barrier 2", "barrier 2"}, {0, 1}, "barrier 2", {}},
      {"a rank alone waits for nobody", {"all_reduce 12"}, {0}, "", {}},
  };
  for (const auto& c : cases) {
    std::vector<RankPlace> ranks;
    for (std::size_t i = 0; i < c.notes.size(); ++i) {
      const int rank = static_cast<int>(i);
      const bool suspended =
          std::find(c.suspended.begin(), c.suspended.end(), rank) != c.suspended.end();
      ranks.push_back({rank, c.notes[i], suspended});
    }
    std::swap(ranks.front(), ranks.back());  // the ranks may have ended in any order
    const Hang hang = find_hang(ranks);
    EXPECT_EQ(hang.collective, c.collective) << c.what;
    EXPECT_EQ(hang.waited_for, c.waited_for) << c.what;
  }
}

}  // namespace
}  // namespace sweepd
