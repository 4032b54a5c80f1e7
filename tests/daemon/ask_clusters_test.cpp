#include "runner/daemon/planning/ask_clusters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/exec/executor.h"

namespace sweepd {
namespace {

using testing::ElementsAre;

// A controller that takes its time, by a clock of the test's own.
class SlowController final : public Executor, public PoolInspector {
 public:
  explicit SlowController(Duration each) : each_(each) {}

  Result<PoolStatus> status() override { return PoolStatus{}; }
  Result<PoolEstimate> estimate(const PoolRequest& request) override {
    now.ns += each_.ns;
    PoolEstimate estimate{"1 node", ""};
    if (request.world_size > 8) estimate.never = "no node has 9 cores";
    return estimate;
  }
  std::optional<AttemptPlace> place_of(const AttemptId&) const override { return std::nullopt; }
  std::string trouble() const override { return ""; }

  PoolInspector* inspector() override { return this; }
  void start(const AttemptFolder&, const AttemptRequest&) override {}
  Adoption adopt(const AttemptFolder&, const AttemptId&, int) override { return {}; }
  void stop(const AttemptId&) override {}
  void kill(const AttemptId&) override {}
  std::set<int> suspended(const AttemptId&) override { return {}; }
  int descriptor() const override { return -1; }
  std::vector<ExecutorEvent> events() override { return {}; }
  Instant now{};

 private:
  Duration each_;
};

struct AskedClusters {
  std::vector<std::string> answers, refusals;
};

AskedClusters ask(Duration each, const std::vector<std::int64_t>& world_sizes) {
  SlowController controller(each);
  std::vector<PoolUse> uses;
  uses.push_back({{"far", {}, Cluster{.gpus_per_node = 0, .most_given = 2}}, &controller, {}});
  std::vector<PlannedAsk> asks;
  for (const std::int64_t size : world_sizes) asks.push_back({"far", {size, false, 0, {}}, 1});
  AskedClusters asked;
  asked.refusals = ask_clusters(Pools(std::move(uses)), asks, [&] { return controller.now; });
  for (const PlannedAsk& one : asks) {
    asked.answers.push_back(one.estimate ? one.estimate->asks : one.estimate.error().message);
  }
  return asked;
}

TEST(AskClusters, EveryKindIsAskedAboutAndWhatNeverRunsIsRefused) {
  const AskedClusters asked = ask(seconds(1), {1, 9, 2});
  EXPECT_THAT(asked.answers, ElementsAre("1 node", "1 node", "1 node"));
  EXPECT_THAT(asked.refusals, ElementsAre("pool `far`, world_size 9: no node has 9 cores"));
}

TEST(AskClusters, AControllerThatTakesSecondsIsAskedForTenOfThem) {
  const AskedClusters asked = ask(seconds(4), {1, 2, 3, 4, 9});
  const std::string not_asked = "not asked, since the answers before took longer than 10s";
  EXPECT_THAT(asked.answers, ElementsAre("1 node", "1 node", "1 node", not_asked, not_asked));
  EXPECT_THAT(asked.refusals, ElementsAre()) << "nobody asked about the last";
}

}  // namespace
}  // namespace sweepd
