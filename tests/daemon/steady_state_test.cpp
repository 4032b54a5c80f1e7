// Whether steps have reached a steady state, on the whole way: from the journal of a rank over the
// database to a table. The series have known truth, from seeds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "runner/daemon/attempts/ingest.h"
#include "runner/daemon/handlers/make_table.h"
#include "runner/report/cell/report.h"
#include "tests/daemon/attempt_files.h"
#include "tests/db/fixture.h"
#include "tests/stats/series_builder.h"

namespace sweepd {
namespace {

using stats::noisy_steps;
using stats::Random;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Series = std::vector<double>;

// 10 ms with noise, and then a factor for each step.
template <class Factor>
Series shaped(std::size_t n, Factor factor, std::uint64_t seed = 1, double noise = 0.01) {
  Random random(seed);
  Series steps = noisy_steps(random, n, noise);
  for (std::size_t i = 0; i < n; ++i) steps[i] *= factor(i);
  return steps;
}

class SteadyStateTest : public DbTest {
 protected:
  // Each series is the journal of one attempt, whose trial has its number as `context`, from 1.
  void measure(const std::vector<Series>& all, std::int64_t warmup = 0) {
    std::vector<Settings> points;
    for (std::size_t i = 0; i < all.size(); ++i)
      points.push_back({{"context", std::to_string(++trials_)}});
    const auto queued = submit(sweep("s", points)).queued;
    for (std::size_t i = 0; i < all.size(); ++i) measure_one(queued.at(i), {all[i]}, warmup);
  }
  void measure_one(const OpenAttempt& attempt, const std::vector<Series>& by_rank,
                   std::int64_t warmup) {
    const AttemptFolder journals(folder_ / "runs" / attempt.id);
    std::vector<EndedRank> ended;
    for (int rank = 0; rank < static_cast<int>(by_rank.size()); ++rank) {
      StateEvent state;
      state.record.moment = "before";
      std::vector<Event> events{WorkEvent{}, EnvironmentEvent{}, state};
      std::int64_t number = -1;
      for (const double time : by_rank[static_cast<std::size_t>(rank)]) {
        ++number;
        StepEvent step{number, number < warmup, {}};
        step.samples = {{rank, number, "step", "time", time, step.warmup},
                        {rank, number, "step", "host_time", host_time(number, time), step.warmup}};
        if (const double mhz = clock_of(number); mhz > 0) {
          step.samples.push_back({rank, number, "step", "device_clock", mhz, step.warmup});
        }
        events.emplace_back(step);
      }
      state.record.moment = "after";
      events.emplace_back(state);
      events.push_back(end({Done{"fixed_steps"}, rank}));
      write_events(journals, rank, events);
      ended.push_back({rank, ExitStatus{std::nullopt, 0}});
    }
    finish(ingest(journals, attempt, ended, std::nullopt));
  }

  int trials_ = 0;
  std::function<double(std::int64_t step, double time)> host_time = [](std::int64_t, double time) {
    return time;
  };
  std::function<double(std::int64_t step)> clock_of = [](std::int64_t) { return 0; };  // 0: none

  Table table(const std::string& metric, const std::string& cell) {
    QuerySpec query;
    query.workload = "toy";
    query.table.rows = {"context"};
    query.table.metric = metric;
    query.table.cell = cell;
    const auto made = make_table(*reader_, catalog_, query);
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : Table{};
  }
  // The cells of a metric, one a trial.
  std::vector<std::string> cells(const std::string& metric, const std::string& cell) {
    std::vector<std::string> texts;
    for (const auto& row : table(metric, cell).rows) texts.push_back(row.at(1).text);
    return texts;
  }
  std::vector<std::string> steady_from() { return cells("steady_from", "{mean:.0f}"); }
  std::vector<std::string> notes() {
    std::vector<std::string> marked = table("time", "{mean}").notes;
    std::erase_if(marked, [](const std::string& note) { return !note.starts_with("§"); });
    return marked;
  }
};

TEST_F(SteadyStateTest, ThreeSlowStepsAtTheBeginning) {
  const auto slow = [](std::size_t i) { return i < 3 ? 2.0 : 1.0; };
  measure({shaped(10, slow), shaped(20, slow), shaped(50, slow, 2), shaped(200, slow, 3)});
  EXPECT_THAT(steady_from(), ElementsAre("3", "3", "3", "3"));
  EXPECT_THAT(cells("steady_from", "{text}"), ElementsAre("steady", "steady", "steady", "steady"));
  EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(SteadyStateTest, NoiseIsSteadyFromTheFirstStep) {
  std::vector<Series> all;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::size_t lengths[] = {10, 15, 30, 100, 300};
    const double noise = std::pow(10, -static_cast<double>(seed % 4));  // of a factor, to 0.1 %
    all.push_back(shaped(
        lengths[seed % 5], [](std::size_t) { return 1.0; }, seed, noise / 10));
  }
  measure(all);
  std::size_t from_the_first = 0, plain = 0;
  for (const std::string& cell : steady_from()) from_the_first += cell == "0" ? 1 : 0;
  for (const std::string& cell : cells("time", "{mean:.0f}")) {
    plain += cell.find("§") == std::string::npos ? 1 : 0;
  }
  EXPECT_GE(from_the_first, 99U);
  EXPECT_GE(plain, 99U);
}

TEST_F(SteadyStateTest, TwoLevelsAreBimodal) {
  const auto jumps = [](std::size_t i) { return i % 3 == 0 ? 1.2 : 1.0; };
  const auto level = [](std::size_t) { return 1.0; };
  measure({shaped(60, jumps), shaped(60, level), shaped(60, jumps, 2)});
  EXPECT_THAT(cells("steady_from", "{text}"), ElementsAre("bimodal§", "steady", "bimodal§"));
  EXPECT_THAT(cells("time", "{mean:.0f}"), ElementsAre("11§", "10", "11§"));
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("§ in 2 of 3 cells the steps are bimodal: ")));
  EXPECT_THAT(table("host_time", "{mean}").notes, Not(Contains(HasSubstr("§"))))
      << "known of `time` only";
  EXPECT_THAT(sql("SELECT verdict, count(*) FROM attempt GROUP BY 1").size(), 1U)
      << "a detail is no verdict";
}

TEST_F(SteadyStateTest, StepsThatBecomeSlower) {
  measure({shaped(60, [](std::size_t i) { return i < 40 ? 1.0 : 1.15; })});
  EXPECT_THAT(cells("steady_from", "{mean:.0f}, {text}"), ElementsAre("40, slowing§"));
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("§ the steps become slower: ")));
}

TEST_F(SteadyStateTest, StepsThatEndOnANewLevel) {
  measure({shaped(60, [](std::size_t i) { return i < 40 ? 1.3 : 1.0; })});
  EXPECT_THAT(cells("steady_from", "{mean:.0f}, {text}"), ElementsAre("40, no steady state§"));
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("§ the steps reach no steady state: ")));
}

// The clock is read in every fifth step.
TEST_F(SteadyStateTest, TheCauseIsAClockThatIsLowerInTheSlowerSteps) {
  const auto slowing = [](std::size_t i) { return i < 40 ? 1.0 : 1.1; };
  const auto cause = [&](double before_mhz, double after_mhz) {
    clock_of = [=](std::int64_t step) {
      if (step % 5 != 0) return 0.0;
      return step < 40 ? before_mhz : after_mhz;
    };
    measure({shaped(60, slowing)});
    return cells("steady_from", "{text}").back();
  };
  EXPECT_EQ(cause(1980, 1755), "slowing: clock§");
  EXPECT_THAT(notes(), ElementsAre(AllOf(HasSubstr("§ the steps become slower: "),
                                         HasSubstr("; cause: the device's clock"))));
  EXPECT_EQ(cause(1980, 1950), "slowing§") << "less than 2 %";
  EXPECT_EQ(cause(1755, 1980), "slowing§") << "a higher clock makes no step slower";
  EXPECT_EQ(cause(0, 1755), "slowing§") << "the other level has none";
}

TEST_F(SteadyStateTest, TheCauseIsTheHostIfItsShareOfAStepGrowsToo) {
  const auto jumps = [](std::size_t i) { return i % 3 == 0 ? 1.2 : 1.0; };
  const auto cause = [&](double slow_ms, double noise_ms) {
    host_time = [=](std::int64_t step, double time) {
      return time + (step % 3 == 0 ? slow_ms : 0.020) + noise_ms * static_cast<double>(step % 5);
    };
    measure({shaped(60, jumps)});
    return cells("steady_from", "{text}").back();
  };
  EXPECT_EQ(cause(0.030, 0.001), "bimodal: host§");
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("neither; cause: the host, which needs longer")));
  EXPECT_EQ(cause(0.022, 0), "bimodal§") << "by less than the steps are longer";
  EXPECT_EQ(cause(0.030, 0.010), "bimodal§") << "within its noise";
  EXPECT_EQ(cause(0.010, 0.001), "bimodal§");
}

// A warm-up may take longer than the measurement, and may be faster.
TEST_F(SteadyStateTest, OnlyMeasuredStepsAreJudged) {
  const auto shape = [](double factor) {
    return shaped(60, [=](std::size_t i) { return i < 40 ? factor : 1.0; });
  };
  measure({shape(1.3), shape(0.8)}, 40);
  EXPECT_THAT(steady_from(), ElementsAre("40", "40")) << "counted with the warm-up";
  EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(SteadyStateTest, TooFewStepsSayNothing) {
  measure({shaped(9, [](std::size_t i) { return i < 5 ? 1.0 : 2.0; })});
  EXPECT_THAT(steady_from(), ElementsAre("—"));
  EXPECT_THAT(notes(), IsEmpty());
  EXPECT_THAT(sql("SELECT DISTINCT steady_from, steadiness FROM summary"), ElementsAre("|"));
}

// Rank 1 is slower from step 12 on, so each step counts with it from there on.
TEST_F(SteadyStateTest, TheSlowestRankDecides) {
  const auto queued = submit(sweep("s", {{{"context", "1"}}})).queued;
  measure_one(queued.front(),
              {shaped(
                   40, [](std::size_t) { return 1.0; }, 1),
               shaped(
                   40, [](std::size_t i) { return i < 12 ? 0.8 : 1.2; }, 2)},
              0);
  EXPECT_THAT(cells("steady_from", "{mean:.0f}, {text}"), ElementsAre("12, slowing§"));
}

TEST_F(SteadyStateTest, ViewsHaveBothColumns) {
  measure({shaped(20, [](std::size_t i) { return i < 3 ? 2.0 : 1.0; })});
  EXPECT_THAT(sql("SELECT phase, steady_from, steadiness FROM toy"), ElementsAre("step|3|steady"));
  EXPECT_THAT(sql("SELECT metric, steady_from, steadiness FROM summaries ORDER BY metric"),
              ElementsAre("host_time||", "time|3|steady"));
}

TEST_F(SteadyStateTest, ATableThatAsksForAStepOrARankIsRefused) {
  measure({shaped(20, [](std::size_t) { return 1.0; })});
  QuerySpec query;
  query.workload = "toy";
  query.table.rows = {"rank"};
  query.table.metric = "steady_from";
  const auto made = make_table(*reader_, catalog_, query);
  ASSERT_FALSE(made);
  EXPECT_EQ(
      made.error().message,
      "`rank`: steady_from has no such column, it comes from the steps of each phase together");
}

}  // namespace
}  // namespace sweepd
