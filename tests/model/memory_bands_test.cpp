// Tests how live memory is divided by kind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/model/measurement/memory_picture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;

MemoryPoint point(std::int64_t ns, const std::string& action, const std::string& phase,
                  std::int64_t allocated) {
  MemoryPoint p;
  p.time = {ns};
  p.action = action;
  p.phase = phase;
  p.allocated = {allocated};
  return p;
}

// "weights 8 8 8", in drawing order.
std::vector<std::string> shown(const std::vector<MemoryBand>& bands) {
  std::vector<std::string> lines;
  for (const MemoryBand& band : bands) {
    std::string& line = lines.emplace_back(band.kind);
    for (const Bytes bytes : band.bytes) line += " " + std::to_string(bytes.value);
  }
  return lines;
}

const std::vector<MemoryPoint> kTimeline{
    point(0, "phase", "forward", 8),       point(10, "allocate", "forward", 13),
    point(20, "phase", "backward", 13),    point(30, "allocate", "backward", 15),
    point(40, "free", "backward", 12),     point(50, "phase", "optimizer", 12),
    point(60, "allocate", "optimizer", 19)};

TEST(MemoryBands, HeldKindsAreBelowActivationsAndTheRestIsOnTop) {
  const std::vector<MemoryBlock> blocks{{"weights", "before", 8},
                                        {"", "forward", 3, 10, 40},  // waits for the backward
                                        {"", "forward", 1, 10, 20},
                                        {"gradients", "backward", 2, 30},
                                        {"optimizer_state", "optimizer", 5, 60}};
  EXPECT_THAT(
      shown(bands_of(kTimeline, blocks)),
      ElementsAre("weights 8 8 8 8 8 8 8", "optimizer_state 0 0 0 0 0 0 5",
                  "gradients 0 0 0 2 2 2 2", "activations 0 3 3 3 0 0 0", "other 0 2 2 2 2 2 4"));
}

TEST(MemoryBands, AForwardAloneSavesNothing) {
  const std::vector<MemoryPoint> forward{kTimeline.begin(), kTimeline.begin() + 2};
  EXPECT_THAT(shown(bands_of(forward, std::vector<MemoryBlock>{{"", "forward", 3, 10}})),
              ElementsAre("other 8 13"));
}

// The same time may have a release before an allocation, and the point lies between them.
TEST(MemoryBands, NoBandExceedsWhatIsLive) {
  const std::vector<MemoryBlock> blocks{{"weights", "before", 8, 0, 10},
                                        {"gradients", "forward", 20, 10}};
  EXPECT_THAT(shown(bands_of({kTimeline.data(), 2}, blocks)),
              ElementsAre("weights 8 0", "gradients 0 13"));
}

TEST(MemoryBands, OfNothing) {
  EXPECT_THAT(bands_of({}, {}), testing::IsEmpty());
}

}  // namespace
}  // namespace sweepd
