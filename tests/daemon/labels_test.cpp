// Tests that the dispatcher names attempts by the axes of their sweep, also at their defaults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/dispatcher_story.h"

namespace sweepd {
namespace {

class DispatcherLabels : public DispatcherStory {
 protected:
  std::vector<OpenAttempt> store_declaring(const std::string& axis,
                                           const std::vector<Settings>& points) {
    NewSweep request = sweep("s", points);
    request.sweep.matrix = {{*def().index_of(axis), {}}};
    return writer_->now([&](Store&) { return submit(request).queued; });
  }
};

TEST_F(DispatcherLabels, ARunningAndAnEndedAttemptAreNamedAlike) {
  const auto queued = store_declaring("context", {{}});
  dispatcher_->enqueue(queued);
  ASSERT_TRUE(until_started(1));
  ASSERT_EQ(dispatcher_->running().size(), 1U);
  EXPECT_EQ(dispatcher_->running()[0].label, "context=128");
  finish_well(queued[0]);
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(ended_[0].label, "context=128");
}

TEST_F(DispatcherLabels, SoIsOneThatTheNextDaemonFinds) {
  store_declaring("context", {{}});
  ASSERT_TRUE(dispatcher_->recover());
  ASSERT_TRUE(until_started(1));
  ASSERT_EQ(dispatcher_->running().size(), 1U);
  EXPECT_EQ(dispatcher_->running()[0].label, "context=128");
}

}  // namespace
}  // namespace sweepd
