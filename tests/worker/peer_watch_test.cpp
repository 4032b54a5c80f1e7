// Tests that a lost peer ends the group, with a group that is scripted.
#include "workloads/cuda/peer_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <string>

namespace sweepd {
namespace {

struct ScriptedGroup {
  std::atomic<bool> lost = false;
  std::atomic<int> aborts = 0;
  std::promise<void> aborted;

  PeerWatch::Group hooks() {
    return {[this] { return std::string(lost ? "rank 1 is gone" : ""); },
            [this] {
              if (++aborts == 1) aborted.set_value();
            }};
  }
};

constexpr Duration kOften = milliseconds(1);

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(PeerWatch, CallsRunWhileTheGroupIsWhole) {
  ScriptedGroup group;
  int calls = 0;
  {
    PeerWatch watch(group.hooks(), kOften);
    watch.run([&] { ++calls; });
    watch.check();
    EXPECT_EQ(group.aborts, 0);
  }
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(group.aborts, 1) << "at the end, without waiting for peers";
}

// The host waits for the device, as in a synchronise, until the group is aborted.
TEST(PeerWatch, ALostPeerEndsWhatTheDeviceWaitsFor) {
  ScriptedGroup group;
  {
    PeerWatch watch(group.hooks(), kOften);
    group.lost = true;
    group.aborted.get_future().wait();
    EXPECT_EQ(error_of([&] { watch.check(); }), "rank 1 is gone");
    bool called = false;
    EXPECT_EQ(error_of([&] { watch.run([&] { called = true; }); }), "rank 1 is gone");
    EXPECT_FALSE(called) << "the group does not exist any more";
  }
  EXPECT_EQ(group.aborts, 1) << "only once";
}

// A call that enqueues work blocks when the device's queue is full of work that waits for the peer.
TEST(PeerWatch, ACallThatWaitsForTheLostPeerIsEnded) {
  ScriptedGroup group;
  PeerWatch watch(group.hooks(), kOften);
  watch.run([&] {
    group.lost = true;
    group.aborted.get_future().wait();
  });
  EXPECT_EQ(error_of([&] { watch.check(); }), "rank 1 is gone");
}

}  // namespace
}  // namespace sweepd
