// Tests that memory snapshots of torch are read, and their figures (data/make_snapshots.py).
#include "runner/trace/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "runner/base/gzip_file.h"
#include "runner/base/temporary_folder.h"
#include "runner/trace/memory_frame.h"
#include "runner/trace/snapshot_memory.h"

namespace sweepd::trace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::filesystem::path kData = TRACE_DATA;

nlohmann::json expected_figures() {
  std::ifstream file(kData / "snapshot.expected.json");
  return nlohmann::json::parse(file);
}

MemorySnapshot snapshot_in(const std::string& name) {
  auto snapshot = read_snapshot(kData / name);
  if (snapshot) return std::move(*snapshot);
  ADD_FAILURE() << snapshot.error().message;
  return {};
}

nlohmann::json held_as_json(const MemorySnapshot& snapshot) {
  nlohmann::json rows = nlohmann::json::array();
  for (const FrameMemory& held : held_at_peak(snapshot, 0)) {
    rows.push_back({held.frame, held.blocks, held.size.value});
  }
  return rows;
}

class SnapshotTest : public testing::TestWithParam<const char*> {};

TEST_P(SnapshotTest, HasTheFiguresOfTheScript) {
  const auto expected = expected_figures();
  const MemorySnapshot snapshot = snapshot_in(GetParam());
  ASSERT_EQ(snapshot.segments.size(), expected["segments"]);
  std::size_t blocks = 0;
  for (const SnapshotSegment& segment : snapshot.segments) blocks += segment.blocks.size();
  EXPECT_EQ(blocks, expected["blocks"]);
  ASSERT_EQ(snapshot.traces.size(), 2);
  EXPECT_EQ(snapshot.traces[0].size(), expected["entries"]);
  EXPECT_THAT(snapshot.traces[1], IsEmpty());
  EXPECT_THAT(devices_of(snapshot), ElementsAre(0));

  const PhaseMemory memory = phase_memory_of(snapshot, 0);
  EXPECT_EQ(memory.at_start->value, expected["at_start"]);
  EXPECT_EQ(memory.at_end->value, expected["at_end"]);
  EXPECT_EQ(memory.peak_allocated->value, expected["peak_allocated"]);
  EXPECT_EQ(memory.peak_reserved->value, expected["peak_reserved"]);
  EXPECT_EQ(held_as_json(snapshot), expected["held_at_peak"]);

  const Fragmentation now = fragmentation_of(snapshot, 0);
  EXPECT_EQ(now.reserved.value, expected["reserved"]);
  EXPECT_EQ(now.allocated.value, expected["allocated"]);
  EXPECT_EQ(now.requested.value, expected["requested"]);
  EXPECT_EQ(now.free.value, expected["free"]);
  EXPECT_EQ(now.largest_free.value, expected["largest_free"]);
  EXPECT_EQ(now.unreleasable.value, expected["unreleasable"]);
}

INSTANTIATE_TEST_SUITE_P(Protocols, SnapshotTest,
                         testing::Values("snapshot_p2.pickle", "snapshot_p4.pickle",
                                         "snapshot_p5.pickle", "snapshot_cpp.pickle"),
                         [](const auto& param) {
                           const std::string name = param.param;
                           return name.substr(9, name.find('.') - 9);
                         });

// It has no requested sizes of its own: those of blocks from before the trace are the rounded ones.
TEST(OldSnapshotTest, OfTorch2_0) {
  const auto expected = expected_figures();
  const MemorySnapshot snapshot = snapshot_in("snapshot_2_0.pickle");
  EXPECT_EQ(phase_memory_of(snapshot, 0).peak_reserved->value, expected["peak_reserved"]);
  const auto held = held_at_peak(snapshot, 0);
  ASSERT_EQ(held.size(), 3);
  EXPECT_EQ(held[0].frame, "model.py:41:forward");
  EXPECT_EQ(held[0].size, Bytes{3'450'001});
  EXPECT_EQ(held[1].frame, "train.py:12:setup");
  EXPECT_EQ(held[1].size, Bytes{304'128});
  const auto& blocks = snapshot.segments[0].blocks;
  EXPECT_EQ(blocks[1].address, blocks[0].address + static_cast<std::uint64_t>(blocks[0].bytes));
  const auto points = timeline_of(snapshot, 0, 1000);
  EXPECT_EQ(points.at(3).time, Duration{1000 * points.at(3).sequence});  // no times: entries
}

TEST(SnapshotFileTest, ACompressedOne) {
  const auto folder = TemporaryFolder::make("snapshot");
  const auto file = folder->path() / "s.pickle";
  std::filesystem::copy_file(kData / "snapshot_p4.pickle", file);
  ASSERT_TRUE(compress_file(file, false));
  const auto snapshot = read_snapshot(compressed(file));
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  EXPECT_EQ(snapshot->segments.size(), 2);
}

TEST(SnapshotMemoryTest, AllocationsAreInTheOrderInWhichTheyBecameKnown) {
  const MemorySnapshot snapshot = snapshot_in("snapshot_p4.pickle");
  const auto all = allocations_of(snapshot, 0, 1000);
  ASSERT_EQ(all.size(), 4 + 2 * 4 + 1);
  EXPECT_EQ(all[0].phase, "before");
  EXPECT_EQ(all[0].size, Bytes{700'000});  // known by its release
  EXPECT_EQ(all[0].freed, Duration{0});
  EXPECT_EQ(all[1].origin, "train.py:12:setup");
  EXPECT_FALSE(all[1].freed.has_value());
  EXPECT_EQ(all[4].phase, "step");
  EXPECT_EQ(all[4].origin, "model.py:41:forward");
  EXPECT_EQ(all[4].size, Bytes{300'001});
  EXPECT_GT(all[4].freed, all[4].allocated);
  const auto largest = allocations_of(snapshot, 0, 2);
  ASSERT_EQ(largest.size(), 2);
  EXPECT_EQ(largest[0].size, Bytes{3'000'000});
  EXPECT_LT(largest[0].sequence, largest[1].sequence);
}

MemoryEvent event_at(std::int64_t us, MemoryAction action, std::uint64_t address,
                     std::int64_t bytes) {
  return {us * 1000, address, bytes, 0, action};
}

TEST(SnapshotMemoryTest, ATimelineKeepsItsPeaks) {
  MemorySnapshot snapshot;
  snapshot.frames.add("");
  MemoryTrace& trace = snapshot.traces.emplace_back();
  for (std::int64_t i = 0; i < 1000; ++i) {
    const std::int64_t bytes = i == 617 ? 5000 : 100;
    trace.push_back(event_at(2 * i, MemoryAction::kAllocate, 64, bytes));
    trace.push_back(event_at(2 * i + 1, MemoryAction::kFree, 64, bytes));
  }
  EXPECT_EQ(timeline_of(snapshot, 0, 2000).size(), 2000);
  const auto points = timeline_of(snapshot, 0, 40);
  EXPECT_LE(points.size(), 40);
  const auto highest = std::ranges::max_element(
      points, {}, [](const MemoryPoint& point) { return point.allocated.value; });
  EXPECT_EQ(highest->allocated, Bytes{5000});
  EXPECT_EQ(highest->sequence, 2 * 617);
  EXPECT_EQ(highest->time, Duration{2 * 617 * 1000});
  EXPECT_TRUE(std::ranges::is_sorted(points, {}, &MemoryPoint::sequence));
}

TEST(SnapshotMemoryTest, WithoutATraceThePeakIsTheSnapshot) {
  MemorySnapshot snapshot;
  snapshot.frames.add("");
  snapshot.segments.push_back({0x1000,
                               4096,
                               0,
                               3,
                               {{0x1000, 1024, 1000, 0, BlockState::kAllocated},
                                {0x1400, 512, 400, 0, BlockState::kAwaitingFree},
                                {0x1600, 2560, 0, 0, BlockState::kFree}}});
  EXPECT_THAT(devices_of(snapshot), ElementsAre(3));
  const PhaseMemory memory = phase_memory_of(snapshot, 3);
  EXPECT_EQ(memory.peak_allocated, Bytes{1000});
  EXPECT_EQ(memory.peak_reserved, Bytes{4096});
  EXPECT_THAT(timeline_of(snapshot, 3, 10), IsEmpty());
  EXPECT_EQ(allocations_of(snapshot, 3, 10).size(), 1);
  EXPECT_EQ(fragmentation_of(snapshot, 3).unreleasable, Bytes{2560});
  EXPECT_EQ(fragmentation_of(snapshot, 3).index(), 0);
  EXPECT_EQ(phase_memory_of(snapshot, 0).peak_allocated, Bytes{0});
}

// The recording keeps only the latest entries: it may begin with the second half of a release, and
// with a segment that is given back.
TEST(SnapshotMemoryTest, ARecordingThatBeginsInTheMiddle) {
  MemorySnapshot snapshot;
  snapshot.frames.add("");
  snapshot.traces.push_back({event_at(0, MemoryAction::kReuse, 0x1000, 10),
                             event_at(1, MemoryAction::kFree, 0x2000, 20),
                             event_at(2, MemoryAction::kSegmentGone, 0x2000, 512),
                             event_at(3, MemoryAction::kAllocate, 0x3000, 5)});
  const PhaseMemory memory = phase_memory_of(snapshot, 0);
  EXPECT_EQ(memory.at_start, Bytes{20});
  EXPECT_EQ(memory.at_end, Bytes{5});
  EXPECT_EQ(memory.peak_allocated, Bytes{20});
  EXPECT_EQ(memory.peak_reserved, Bytes{512});
}

TEST(MemoryFrameTest, Ranks) {
  constexpr const char* kLinear = "/v/lib/python3/site-packages/torch/nn/modules/linear.py";
  EXPECT_EQ(rank_of_frame("/home/me/train.py", "step"), FrameRank::kOwn);
  EXPECT_EQ(rank_of_frame("<ipython-input-3>", "<module>"), FrameRank::kOwn);
  EXPECT_EQ(rank_of_frame("/home/me/torch/train.py", "step"), FrameRank::kOwn);
  EXPECT_EQ(rank_of_frame(kLinear, "forward"), FrameRank::kTorch);
  EXPECT_EQ(rank_of_frame("<eval_with_key>.3", "forward"), FrameRank::kTorch);
  EXPECT_EQ(rank_of_frame("??", "at::native::empty_cuda"), FrameRank::kNative);
  EXPECT_EQ(rank_of_frame("??", "torch::unwind::unwind()"), FrameRank::kRecording);
  EXPECT_EQ(name_of_frame("/home/me/train.py", 7, "st\x1b"), "train.py:7:st ");
}

}  // namespace
}  // namespace sweepd::trace
