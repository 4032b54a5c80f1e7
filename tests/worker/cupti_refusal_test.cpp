#include "workloads/cuda/cupti_refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace sweepd {
namespace {

using ::testing::HasSubstr;

TEST(CuptiRefusal, SaysWhoCanAllowIt) {
  EXPECT_THAT(std::string(how_to_allow_cupti(35)),
              HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_THAT(std::string(how_to_allow_cupti(39)), HasSubstr("another profiler"));
  EXPECT_THAT(std::string(how_to_allow_cupti(43)), HasSubstr("MIG"));
}

TEST(CuptiRefusal, HasNoAdviceForMistakes) {
  for (const int code : {0, 1, 2, 8, 21, 27, 34, 999}) EXPECT_EQ(how_to_allow_cupti(code), "");
}

}  // namespace
}  // namespace sweepd
