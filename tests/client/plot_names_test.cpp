// Tests how a plot's title becomes a file's name.
#include <gmock/gmock.h>

#include "runner/client/render/plot_output.h"

namespace sweepd {
namespace {

TEST(PlotNames, AreMadeOfLettersAndDigits) {
  EXPECT_EQ(file_name_of("Step time (ms) by size"), "step-time-ms-by-size");
  EXPECT_EQ(file_name_of("../../etc"), "etc");
  EXPECT_EQ(file_name_of("µ"), "");
}

TEST(PlotNames, OfALongTitleAreCutAndDiffer) {
  const std::string title(250, 'a');
  EXPECT_EQ(file_name_of(title).size(), 150 + 1 + 8U);
  EXPECT_NE(file_name_of(title), file_name_of(title + "b"));
  EXPECT_EQ(file_name_of(std::string(150, 'a')), std::string(150, 'a'));
}

}  // namespace
}  // namespace sweepd
