// Tests that a record's rows follow from its description: with its own field and a migration,
// a figure of memory is stored and read back (CONTRIBUTING.md, "Add a figure of memory").
#include "db/base/record_rows.h"

#include "runner/model/vocabulary/memory.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;

struct GrownMemory : PhaseMemory {
  Bytes fragments;

  static void visit(auto& self, auto&& field) {
    PhaseMemory::visit(self, field);
    field("fragments", self.fragments, "free blocks that the allocator holds");
  }
};

class RecordRows : public DbTest {
 protected:
  void SetUp() override {
    DbTest::SetUp();
    row_ = submit(sweep("s", {{{"model", "xl"}}})).queued.front().row;
    connection_ = std::make_unique<Connection>(file(), Access::kReadWrite);
    connection_->execute(
        "ALTER TABLE memory ADD COLUMN fragments_bytes INTEGER NOT NULL DEFAULT 0");
    names_ = std::make_unique<Names>(*connection_);
  }
  void TearDown() override {
    names_.reset();
    connection_.reset();
    DbTest::TearDown();
  }
  static GrownMemory memory(int rank, const std::string& phase, Bytes fragments) {
    GrownMemory memory;
    memory.rank = rank;
    memory.phase = phase;
    memory.peak_allocated = 3_MiB;
    memory.fragments = fragments;
    return memory;
  }

  std::int64_t row_ = 0;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Names> names_;
};

TEST_F(RecordRows, AFieldAndItsColumnAreEnough) {
  insert_rows(*connection_, *names_, "attempt", row_,
              std::vector{memory(1, "forward", 1_KiB), memory(0, "step", 2_KiB)});
  const auto rows = select_rows<GrownMemory>(*connection_, *names_, "attempt", row_, "rank");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].phase, "step");
  EXPECT_EQ(rows[0].fragments, 2_KiB);
  EXPECT_EQ(rows[1].rank, 1);
  EXPECT_EQ(rows[1].peak_allocated, 3_MiB);
  const RecordColumn column = columns_of<GrownMemory>().back();
  EXPECT_EQ(column.name, "fragments_bytes");
  EXPECT_EQ(column.heading, "fragments");
  EXPECT_EQ(column.show, Show::kBytes);
  EXPECT_FALSE(column.nullable) << "as `fragments` is no optional";
}

// A broken worker must not make its attempt unstorable.
TEST_F(RecordRows, OfTwoWithOneKeyTheLastIsStored) {
  insert_rows(*connection_, *names_, "attempt", row_,
              std::vector{memory(0, "step", 1_KiB), memory(0, "step", 2_KiB)});
  EXPECT_THAT(sql("SELECT fragments_bytes FROM memory"), ElementsAre("2048"));
}

}  // namespace
}  // namespace sweepd
