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
    row.bytes = 1;
    row.no_flops_peak = "it is unknown: the only run of matmul was suspect";
    row.no_bytes_peak = "of memcpy";
  }
  ResultSet results = b.get();
  results.rows[2].peak_flops_per_s = 1e15;
  results.rows[2].peak_bytes_per_s = 1e12;
  results.rows[2].no_flops_peak = results.rows[2].no_bytes_peak = "";
  QuerySpec query = query_of({"size"}, {});
  query.table.values = {value_of("MFU", "{mfu:.1%}"), value_of("Floor", "{floor:.2f}"),
                        value_of("Time", "{mean}")};
  EXPECT_THAT(markdown({results}, query),
              HasSubstr("- no MFU or roofline floor in 4 cells, because it is unknown: the only "
                        "run of matmul was suspect\n"));
  query.table.values = {value_of("Share", "{bandwidth_share:.1%}")};
  EXPECT_THAT(markdown({results}, query),
              HasSubstr("- no share of peak bandwidth in 2 cells, because of memcpy\n"));
  query.table.values = {value_of("Time", "{mean}")};
  EXPECT_THAT(markdown({results}, query), Not(HasSubstr("unknown"))) << "no share is shown";
}

// AdamW has no FLOPs, so its MFU depends on no peak.
TEST(PeakNotes, AFigureWithoutWorkLacksNoPeak) {
  ResultsBuilder b;
  b.text("phase", {"optimizer"});
  ResultRow& row = b.samples({"optimizer"}, {10});
  row.bytes = 1e9;
  row.no_flops_peak = "of matmul";
  row.no_bytes_peak = "of memcpy";
  QuerySpec query = query_of({"phase"}, {});
  query.table.values = {value_of("MFU", "{mfu:.1%}"), value_of("Floor", "{floor:.2f}")};
  EXPECT_THAT(markdown({b.get()}, query),
              HasSubstr("- no roofline floor in 1 cell, because of memcpy\n"));
}

}  // namespace
}  // namespace sweepd
