// Tests how plan and submit find the changes since a sweep was measured.
#include "runner/model/sweep/changes.h"

#include <gmock/gmock.h>

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ChangedParts, AreThoseOfAnotherHashAndThoseOnOneSide) {
  EXPECT_THAT(changed_parts("sh:1 a.py:2 b.py:3", "sh:1 a.py:4 c.py:5"),
              ElementsAre("a.py", "c.py", "b.py"));
  EXPECT_THAT(changed_parts("sh:1", "sh:1"), IsEmpty());
}

TEST(Changes, NameEachPartOnceAndTheNewestResult) {
  Changes changes;
  changes.add({"sh:1 a.py:2", {}, WallTime{30}}, "sh:1 a.py:3", {}, "the program");
  changes.add({"sh:1 a.py:2", {}, WallTime{50}}, "sh:1 a.py:3", {}, "the program");
  changes.add({"sh:2 a.py:3", {}, WallTime{40}}, "sh:1 a.py:3", {}, "the program");
  EXPECT_EQ(changes.attempts, 3);
  EXPECT_THAT(changes.what, ElementsAre("a.py", "sh"));
  EXPECT_EQ(changes.since->ns, 50);
}

TEST(Changes, NameTheWorkloadWhereACodeHasNoParts) {
  Changes changes;
  changes.add({"0011aabb", {}, WallTime{30}}, "2233ccdd", {}, "lm_step");
  EXPECT_THAT(changes.what, ElementsAre("lm_step"));
}

TEST(Changes, NameTheProgramWhereItWasNotRecorded) {
  Changes changes;
  changes.add({"", {}, WallTime{30}}, "sh:1 a.py:3", {}, "the program");
  EXPECT_THAT(changes.what, ElementsAre("the program"));
}

TEST(Changes, NameWhatTheMachineChanged) {
  const MachineId before{"aaaa", "cores=4; driver=550.54"}, now{"bbbb", "cores=4; driver=570.1"};
  Changes changes;
  changes.add({"0011", before, WallTime{30}}, "0011", now, "lm_step");
  EXPECT_THAT(changes.what, ElementsAre("the driver"));
  EXPECT_THAT(changes.how, ElementsAre("550.54 → 570.1"));
  changes.add({"0011", before, WallTime{30}}, "2233", now, "lm_step");
  EXPECT_THAT(changes.what, ElementsAre("the driver", "lm_step"));
}

TEST(Changes, SayNothingOfAMachineThatIsNotKnown) {
  const MachineId known{"bbbb", "cores=4"};
  Changes changes;
  changes.add({"0011", {}, WallTime{30}}, "2233", known, "lm_step");
  changes.add({"0011", known, WallTime{30}}, "2233", {}, "lm_step");
  EXPECT_THAT(changes.what, ElementsAre("lm_step"));
  EXPECT_THAT(changes.how, IsEmpty());
}

TEST(Changes, AddUp) {
  Changes one, other;
  one.add({"a:1", {}, WallTime{30}}, "a:2", {}, "");
  other.add({"a:1", {}, WallTime{20}}, "a:2", {}, "");
  other.add({"b:1", {}, WallTime{20}}, "b:2", {}, "");
  one.add(other);
  EXPECT_EQ(one.attempts, 3);
  EXPECT_THAT(one.what, ElementsAre("a", "b"));
  EXPECT_EQ(one.since->ns, 30);
}

}  // namespace
}  // namespace sweepd
