// Tests the reason given for a rate whose device has no known peak.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "tests/db/results_fixture.h"

namespace sweepd {
namespace {

class UnknownPeakTest : public ResultsTest {};

// The rulers ran, so asking to run them would be no help.
TEST_F(UnknownPeakTest, SaysWhy) {
  const auto queued = submit(sweep("s", {{{"context", "1"}}, {{"context", "2"}}})).queued;
  finish(done(queued[0].row, 1, 2));
  auto query = by({"model"}, {}, {{"context", {"1"}}});
  query.table.cell = "{mfu}";
  EXPECT_EQ(ask(query).rows.at(0).no_flops_peak,
            "the device's peak in fp32 is unknown: `experiments/device_limits.yaml` has not "
            "measured it");
  EXPECT_EQ(*store_->why_no_peak(cpu()), "");
  AttemptRecord ruler = done(queued[1].row, 1, 2);
  ruler.judgement = {Verdict::kSuspect, {"others were busy", "and more"}};
  finish(ruler);
  SQLite::Database(file().string(), SQLite::OPEN_READWRITE)
      .exec(
          fmt::format("UPDATE trial SET workload = 'matmul' WHERE id = (SELECT trial FROM attempt "
                      "WHERE row = {})",
                      queued[1].row));
  reopen();
  const std::string why = "the only run of matmul was suspect: others were busy";
  EXPECT_EQ(ask(query).rows.at(0).no_flops_peak, "the device's peak in fp32 is unknown: " + why);
  EXPECT_EQ(*store_->why_no_peak(cpu()), why);
}

// Copies of a set that four times this cache of 64 MiB would hold.
TEST_F(UnknownPeakTest, SaysWhichSizeIsNeeded) {
  const auto queued = submit(sweep("s", {{{"context", "1"}}, {{"context", "2"}}})).queued;
  finish(done(queued[0].row, 1, 2));
  finish(done(queued[1].row, 1, 2));
  const auto change = [&](const std::string& sql) {
    SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec(sql);
  };
  change("UPDATE trial SET workload = 'memcpy'; UPDATE host SET cache_bytes = 67108864");
  EXPECT_EQ(*store_->why_no_peak(cpu()),
            "no valid copy of 16MiB or more cycles through four times the last-level cache "
            "(256MiB): measure memcpy with `working_set: 256MiB`");
  change("UPDATE attempt SET verdict = 'suspect'");
  EXPECT_EQ(*store_->why_no_peak(cpu()), "all 2 runs of memcpy were suspect");
}

}  // namespace
}  // namespace sweepd
