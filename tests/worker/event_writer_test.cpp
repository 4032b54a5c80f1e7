#include "runner/worker/journal/event_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/worker/temp_folder.h"

namespace sweepd {
namespace {

class EventWriterTest : public ::testing::Test {
 protected:
  std::string contents() const {
    std::ostringstream text;
    text << std::ifstream(file_).rdbuf();
    return text.str();
  }
  TempFolder folder_;
  std::filesystem::path file_ = folder_.path() / "events.0.ndjson";
  const Event fact_ = FactEvent{"a", std::nullopt, "1"};
  const std::string line_ = "{\"event\":\"fact\",\"name\":\"a\",\"text\":\"1\"}\n";
};

TEST_F(EventWriterTest, WritesOnlyWhenTheLastWriteIsOld) {
  auto writer = EventWriter::open(file_);
  ASSERT_TRUE(writer.ok());
  const Instant start{5'000'000'000};
  writer->add(fact_);
  EXPECT_EQ(contents(), "");
  writer->flush_if_due(start);
  EXPECT_EQ(contents(), line_);
  writer->add(fact_);
  writer->flush_if_due(start + milliseconds(249));
  EXPECT_EQ(contents(), line_);
  writer->flush_if_due(start + milliseconds(250));
  EXPECT_EQ(contents(), line_ + line_);
}

TEST_F(EventWriterTest, DoesNotLetTheBufferGrowWithoutEnd) {
  auto writer = EventWriter::open(file_);
  ASSERT_TRUE(writer.ok());
  const Instant start{5'000'000'000};
  writer->flush_if_due(start);
  for (int i = 0; i < 2; ++i) {
    writer->add(FactEvent{"long", std::nullopt, std::string(1 << 19, 'x')});
    writer->flush_if_due(start + milliseconds(1));
  }
  EXPECT_GT(contents().size(), std::size_t{1} << 20);
}

TEST_F(EventWriterTest, RefusesALineThatNoReaderTakes) {
  auto writer = EventWriter::open(file_);
  ASSERT_TRUE(writer.ok());
  const std::string around = R"({"event":"fact","name":"a","text":""})";
  const std::string longest(kLongestJournalLine - around.size(), 'x');
  writer->add(FactEvent{"a", std::nullopt, longest});
  EXPECT_THROW(writer->add(FactEvent{"a", std::nullopt, longest + "x"}), std::length_error);
  writer->add(EndEvent{{Failed{"too long", ""}}, {7}});
  writer->flush();
  EXPECT_EQ(contents().find('\n'), kLongestJournalLine);
  EXPECT_THAT(contents(), ::testing::EndsWith("\"wall_ns\":7,\"lines\":1,\"steps\":0}\n"));
}

TEST_F(EventWriterTest, TheLastWordCountsWhatStandsBeforeIt) {
  auto writer = EventWriter::open(file_);
  ASSERT_TRUE(writer.ok());
  writer->add(fact_);
  writer->add(StepEvent{0, false, {}});
  writer->flush();
  writer->add(StepEvent{1, false, {}});
  writer->add(EndEvent{{Done{"fixed_steps"}}, {7}});
  writer->flush();
  EXPECT_THAT(contents(), ::testing::EndsWith("\"wall_ns\":7,\"lines\":3,\"steps\":2}\n"));
}

TEST_F(EventWriterTest, AFullDiskThrows) {
  auto writer = EventWriter::open("/dev/full");
  ASSERT_TRUE(writer.ok());
  writer->add(fact_);
  try {
    writer->flush();
    FAIL() << "no JournalError";
  } catch (const JournalError& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("No space left on device"));
  }
}

TEST_F(EventWriterTest, AFolderThatIsNotThereIsAnError) {
  const auto writer = EventWriter::open(folder_.path() / "none" / "events.0.ndjson");
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace sweepd
