// Stores a memory pass and reads it back as a picture and as tables.
#include "db/query/details/memory_details.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Returns "a|b|c" for each row, the texts of its cells.
std::vector<std::string> rows_of(const std::vector<Table>& tables, const std::string& title) {
  std::vector<std::string> rows;
  for (const Table& table : tables) {
    if (table.title.find(title) == std::string::npos) continue;
    for (const auto& cells : table.rows) {
      std::string& row = rows.emplace_back();
      for (const Cell& cell : cells) row += (row.empty() ? "" : "|") + cell.text;
    }
  }
  return rows;
}

MemoryPoint point(std::int64_t sequence, std::int64_t ms, const std::string& action,
                  const std::string& phase, Bytes size, Bytes allocated) {
  return {0,    sequence,  {ms * 1'000'000}, action, 0xffff'8000'0000'0000,
          size, allocated, allocated,        phase};
}

Allocation block(std::int64_t sequence, Bytes size, std::int64_t from_ms,
                 std::optional<std::int64_t> until_ms, const std::string& phase,
                 const std::string& range, const std::string& origin) {
  std::optional<Duration> freed;
  if (until_ms) freed = milliseconds(*until_ms);
  return {0, sequence, size, milliseconds(from_ms), freed, phase, range, origin};
}

// 4 MiB of weights in two layers. A forward keeps 1 MiB; its peak has 2 MiB more and a block that
// is too small to be kept.
AttemptRecord memory_pass(std::int64_t row) {
  AttemptRecord record;
  record.row = row;
  record.ending = {Done{"fixed_steps"}, 0};
  record.ended = WallTime{5'000'000'000};
  record.work = WorkPerStep{"fp32", 512, {}, {{"weights_bytes", 4'194'304, "4 P"}}};
  record.facts = {{0, "weights_bytes", 4'194'304.0, ""},
                  {0, "saved_for_backward_bytes", 1'048'576.0, ""}};
  record.held_memory = {{0, "weights", "block0.w1", 2_MiB}, {0, "weights", "block1.w1", 2_MiB}};
  record.allocations = {
      block(0, 2_MiB, 0, std::nullopt, "before", "", "block0.w1"),
      block(1, 2_MiB, 0, std::nullopt, "before", "", "block1.w1"),
      block(2, 1_MiB, 1, 9, "forward", "ffn", "aten::mm"),
      block(3, 2_MiB, 2, 3, "forward", "attention.scores", "attention scores"),
  };
  record.timeline = {
      point(0, 0, "phase", "forward", {0}, 4_MiB), point(1, 1, "allocate", "forward", 1_MiB, 5_MiB),
      point(3, 2, "allocate", "forward", 2_MiB, Bytes{7340032 + 1024}),
      point(4, 3, "free", "forward", 2_MiB, 5_MiB), point(5, 9, "phase", "step", {0}, 4_MiB)};
  return record;
}

class MemoryDbTest : public DbTest {
 protected:
  std::int64_t store() {
    auto request = sweep("s", {{{"model", "xl"}}});
    request.sweep.passes = {Pass::kMemory};
    const auto row = submit(request).queued.front().row;
    finish(memory_pass(row));
    return row;
  }
};

// As in older results.
TEST_F(MemoryDbTest, AWeightAndAGradientOfOneNameAreTwoBlocks) {
  auto request = sweep("s", {{{"model", "xl"}}});
  request.sweep.passes = {Pass::kMemory};
  AttemptRecord record = memory_pass(submit(request).queued.front().row);
  record.held_memory = {{0, "gradients", "w", 1_MiB}, {0, "weights", "w", 2_MiB}};
  record.allocations = {block(0, 2_MiB, 0, std::nullopt, "before", "", "w"),
                        block(1, 1_MiB, 1, std::nullopt, "backward", "", "w")};
  record.timeline = {point(0, 0, "phase", "step", {0}, 2_MiB),
                     point(1, 2, "allocate", "backward", 1_MiB, 3_MiB)};
  finish(record);
  const auto details = reader_->memory_details(record.row);
  ASSERT_TRUE(details) << details.error().message;
  EXPECT_THAT(rows_of(details->tables, "Live at the peak"),
              ElementsAre("weights|1|2.0 MiB|66.7%", "gradients|1|1.0 MiB|33.3%"));
}

TEST_F(MemoryDbTest, ThePictureComesBackAsItWas) {
  const auto details = reader_->memory_details(store());
  ASSERT_TRUE(details) << details.error().message;
  ASSERT_EQ(details->pictures.size(), 1U);
  const MemoryPicture& picture = details->pictures.front();
  EXPECT_THAT(picture.subject, HasSubstr("toy model=xl"));
  ASSERT_EQ(picture.timeline.size(), 5U);
  EXPECT_EQ(picture.timeline[2].sequence, 3);
  EXPECT_EQ(picture.timeline[2].address, 0xffff'8000'0000'0000) << "all 64 bits";
  EXPECT_EQ(picture.timeline[2].allocated.value, 7340032 + 1024);
  std::vector<std::string> bands;
  for (const MemoryBand& band : picture.bands) {
    std::string& line = bands.emplace_back(band.kind);
    for (const Bytes bytes : band.bytes) line += " " + std::to_string(bytes.value);
  }
  EXPECT_THAT(bands, ElementsAre("weights 4194304 4194304 4194304 4194304 4194304",
                                 "other 0 1048576 3146752 1048576 0"));
}

TEST_F(MemoryDbTest, TablesSayWhatIsHeldWhatIsLiveAtThePeakAndWhatIsLargest) {
  const auto details = reader_->memory_details(store());
  ASSERT_TRUE(details) << details.error().message;
  EXPECT_THAT(rows_of(details->tables, "Memory that outlives"),
              ElementsAre("0|weights|2|4.0 MiB|4,194,304|4,194,304|0",
                          "0|saved for backward|0|1.0 MiB|1,048,576|-|-"));
  EXPECT_THAT(rows_of(details->tables, "Live at the peak"),
              ElementsAre("weights|2|4.0 MiB|57.1%", "forward, attention.scores|1|2.0 MiB|28.6%",
                          "forward, ffn|1|1.0 MiB|14.3%", "smaller blocks|-|1.0 KiB|0.0%"));
  EXPECT_THAT(rows_of(details->tables, "Largest blocks"),
              ElementsAre("2|2.0 MiB|before|-|block*.w1|0.000|not in the step",
                          "1|2.0 MiB|forward|attention.scores|attention scores|2.000|3.000",
                          "1|1.0 MiB|forward|ffn|aten::mm|1.000|9.000"));
}

TEST_F(MemoryDbTest, AnAttemptWithoutARecordingHasNoPicture) {
  const auto row = submit(sweep("s", {{{"model", "xl"}}})).queued.front().row;
  finish(done(row, 1, 2));
  const auto details = reader_->memory_details(row);
  ASSERT_TRUE(details);
  EXPECT_TRUE(details->pictures.empty());
}

TEST(FoldLayers, LeavesOutTheNumberOfTheBlock) {
  EXPECT_EQ(fold_layers("block12.w1.grad"), "block*.w1.grad");
  EXPECT_EQ(fold_layers("block"), "block");
  EXPECT_EQ(fold_layers("embedding"), "embedding");
  EXPECT_EQ(fold_layers("aten::mm"), "aten::mm");
}

}  // namespace
}  // namespace sweepd
