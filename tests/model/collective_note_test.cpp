#include "runner/model/measurement/collective_note.h"

#include <gtest/gtest.h>

namespace sweepd {
namespace {

using At = CollectiveNote::At;

TEST(CollectiveNote, ReadsWhatItWrites) {
  EXPECT_EQ(text_of({"all_reduce", 12, At::kEntered}), "all_reduce 12");
  EXPECT_EQ(text_of({"barrier", 3, At::kLeft}), "barrier 3 left");
  const auto entered = collective_note_from("all_reduce 12");
  ASSERT_TRUE(entered);
  EXPECT_EQ(entered->operation, "all_reduce");
  EXPECT_EQ(entered->number, 12);
  EXPECT_EQ(entered->at, At::kEntered);
  const auto left = collective_note_from("barrier 3 left");
  ASSERT_TRUE(left);
  EXPECT_EQ(left->number, 3);
  EXPECT_EQ(left->at, At::kLeft);
}

TEST(CollectiveNote, TakesNothingElseForOne) {
  for (const char* text : {"", "rendezvous", "all_reduce", "all_reduce ", " 12", "all_reduce 12 x",
                           "all_reduce x", "left", "all_reduce left"}) {
    EXPECT_FALSE(collective_note_from(text)) << text;
  }
}

}  // namespace
}  // namespace sweepd
