#include "workloads/command/variables.h"

#include <gtest/gtest.h>

namespace sweepd::command {
namespace {

std::string report_of(int rank, int world_size) {
  Place place;
  place.rank = rank;
  place.world_size = world_size;
  place.folder = "/attempt";
  for (const Variable& variable : variables_of({}, {}, place)) {
    if (variable.name == "report") return variable.value;
  }
  return "";
}

TEST(Variables, EachRankHasAReportOfItsOwn) {
  EXPECT_EQ(report_of(0, 1), "/attempt/report.json");
  EXPECT_EQ(report_of(0, 2), "/attempt/report.0.json");
  EXPECT_EQ(report_of(1, 2), "/attempt/report.1.json");
  EXPECT_EQ(report_file("/attempt", 1, 2), "/attempt/report.1.json");
}

}  // namespace
}  // namespace sweepd::command
