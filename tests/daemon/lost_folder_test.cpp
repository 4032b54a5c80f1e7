// Tests an attempt's folder after a power loss. Its files are not synced, so each is complete, cut
// off, with sectors of zeros, or missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <set>

#include "runner/exec/rank_processes.h"
#include "tests/daemon/dispatcher_story.h"
#include "tests/fault_seed.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;

constexpr int kRanks = 2;
constexpr std::int64_t kSteps = 40;
constexpr const char* kPlace = "4242 17 00000000-0000-0000-0000-000000000000\n";

class LostFolder : public DispatcherStory {
 protected:
  // An attempt that has ended well, whose daemon did not see it any more.
  OpenAttempt attempt_that_ended(int context) {
    OpenAttempt attempt = store_sweep({{{"world_size", std::to_string(kRanks)},
                                        {"context", std::to_string(context)}}})
                              .at(0);
    const Lease lease{{{{0}, "", -1}, {{1}, "", -1}}};
    EXPECT_TRUE(writer_->now(
        [&](Store& store) { return store.mark_started(attempt.row, now_wall(), lease); }));
    const AttemptFolder folder = folder_of(attempt);
    for (int rank = 0; rank < kRanks; ++rank) {
      write_text(folder.pid(rank), kPlace);
      write_text(folder.log(rank), "warming up\n");
      write_phase(folder, rank, "optimizer");
      std::vector<Event> events;
      for (std::int64_t number = 0; number < kSteps; ++number) {
        events.push_back(rank_step(rank, number));
      }
      events.push_back(end({Done{"fixed_steps"}, rank}));
      write_events(folder, rank, events);
    }
    return attempt;
  }

  // In each sample it can be seen which it is.
  static double value_of(int rank, std::int64_t number) {
    return 1000.0 * (rank + 1) + static_cast<double>(number);
  }
  static Event rank_step(int rank, std::int64_t number) {
    StepEvent event{number, false, {}};
    event.samples = {{rank, number, "step", "time", value_of(rank, number), false}};
    return event;
  }

  // The remaining part of a file, perhaps empty.
  void lose_some(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    in.close();
    const auto at = static_cast<std::size_t>(random_() % (text.size() + 1));
    switch (random_() % 6) {
      case 0:
        fs::remove(file);
        return;  // its name was not written
      case 1:
        text.resize(at);
        break;
      case 2:
        std::fill(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), '\0');
        break;
      case 3: {  // one sector was not written, and a later one was
        const std::size_t begin = at / 512 * 512;
        const std::size_t end = std::min(text.size(), begin + 512);
        std::fill(text.begin() + static_cast<std::ptrdiff_t>(begin),
                  text.begin() + static_cast<std::ptrdiff_t>(end), '\0');
        break;
      }
      default:
        return;  // whole
    }
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
  }

  // The complete lines, as "rank value", and how many report the end of their rank.
  struct Left {
    std::multiset<std::string> samples;
    int ends = 0;
    int began = 0;  // ranks whose complete place, or any part of a journal, shows that they began
  };
  static Left left_in(const AttemptFolder& folder) {
    Left left;
    for (int rank = 0; rank < kRanks; ++rank) {
      std::ifstream place(folder.pid(rank));
      const std::string said{std::istreambuf_iterator<char>(place), {}};
      std::error_code none;
      const auto journal = fs::file_size(folder.events(rank), none);
      left.began += said == kPlace || (!none && journal > 0) ? 1 : 0;
      std::set<std::string> lines;
      std::ifstream in(folder.events(rank), std::ios::binary);
      for (std::string line; std::getline(in, line);) {
        if (!in.eof()) lines.insert(line);  // the last one has no end
      }
      for (std::int64_t number = 0; number < kSteps; ++number) {
        if (lines.contains(event_to_line(rank_step(rank, number)))) {
          left.samples.insert(to_text(value_of(rank, number)));
        }
      }
      left.ends += lines.contains(event_to_line(end({Done{"fixed_steps"}, rank}))) ? 1 : 0;
    }
    return left;
  }
  std::multiset<std::string> stored_samples(const OpenAttempt& attempt) const {
    Connection database(file(), Access::kReadOnly);
    Query query(database,
                "SELECT s.value FROM sample s JOIN name m ON m.id = s.metric JOIN name p ON p.id = "
                "s.phase WHERE s.attempt = ? AND m.text = 'time' AND p.text = 'step'");
    query.bind(attempt.row);
    std::multiset<std::string> values;
    while (query.next()) values.insert(to_text(query.real(0)));
    return values;
  }
  std::string verdict(const OpenAttempt& attempt) const {
    return sql("SELECT coalesce(verdict, '') FROM attempt WHERE row = " +
               std::to_string(attempt.row))
        .at(0);
  }

  std::uint64_t seed_ = fault_seed();
  std::mt19937_64 random_{seed_};
};

TEST_F(LostFolder, HasATypedOutcomeAndEveryStepThatReachedTheDisk) {
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed_) + ", round " + std::to_string(round));
    const OpenAttempt attempt = attempt_that_ended(round + 1);
    const AttemptFolder folder = folder_of(attempt);
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder.path())) files.push_back(entry.path());
    std::ranges::sort(files);
    for (const fs::path& file : files) lose_some(file);
    const Left left = left_in(folder);
    // The scripted executor does not look into the files, so the real one looks first.
    const FoundRanks found = RankProcesses(folder_ / "worker").adopt(folder, kRanks);
    EXPECT_TRUE(found.alive.empty());
    EXPECT_EQ(found.incomplete, left.began < kRanks) << "then it is queued again";
    if (found.incomplete) {
      finish(ended(attempt.row, {Cancelled{"not of interest any more"}, 0}));
      continue;
    }
    for (int rank = 0; rank < kRanks; ++rank) write_text(folder.pid(rank), "");
    restart();
    ASSERT_TRUE(dispatcher_->recover());
    settle();
    const std::string outcome = stored(attempt);
    EXPECT_THAT(outcome, AnyOf("done", "crashed", "crashed by rank 1"));
    EXPECT_EQ(outcome == "done", left.ends == kRanks);
    EXPECT_EQ(stored_samples(attempt), left.samples);
    const bool whole = left.samples.size() == std::size_t{kRanks * kSteps};
    if (outcome == "done" && !whole) {
      EXPECT_NE(verdict(attempt), "valid");
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace sweepd
