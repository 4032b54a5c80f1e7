// Tests that a table says why shares of a device's peaks are missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/results_builder.h"

namespace sweepd {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(PeakNotes, OneLineForEachReason) {
  ResultsBuilder b;
  b.text("size", {"1", "2", "3"});
  for (const char* size : {"1", "2", "3"}) {
    ResultRow& row = b.samples({size}, {10});
    row.flops = 5e12;
    row.no_peak = "it is unknown: the only run of matmul was suspect";
  }
  ResultSet results = b.get();
  results.rows[2].peak_flops_per_s = 1e15;
  results.rows[2].no_peak = "";
  QuerySpec query = query_of({"size"}, {});
  query.table.values = {value_of("MFU", "{mfu:.1%}"), value_of("Floor", "{floor:.2f}"),
                        value_of("Time", "{mean}")};
  EXPECT_THAT(markdown({results}, query),
              HasSubstr("- no MFU, roofline floor in 4 cells: it is unknown: the only run of "
                        "matmul was suspect\n"));
  query.table.values = {value_of("Time", "{mean}")};
  EXPECT_THAT(markdown({results}, query), Not(HasSubstr("unknown"))) << "no share is shown";
}

}  // namespace
}  // namespace sweepd
