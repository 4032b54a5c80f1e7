// The reader of files of libsweepd_inject.so, with bytes that a test or a stranger wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

#include "inject/file_format.h"
#include "tests/inject/traced_run.h"

namespace sweepd {
namespace {

using namespace inject;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class InjectFile {
 public:
  InjectFile() {
    FileHeader header{};
    std::memcpy(header.magic, kMagic, sizeof kMagic);
    header.format = kFormat;
    header.cupti_version = 130001;
    put(header);
  }
  InjectFile& name(std::uint32_t id, const std::string& text) {
    put(RecordHead{static_cast<std::uint16_t>(sizeof(RecordHead) + text.size()), RecordKind::kName,
                   0, id});
    bytes_ += text;
    return *this;
  }
  template <class Record>
  InjectFile& add(Record record) {
    record.head.bytes = sizeof record;
    put(record);
    return *this;
  }
  InjectFile& kernel(std::uint32_t name, std::int64_t begin, std::int64_t end) {
    KernelRecord record{};
    record.head = {0, RecordKind::kKernel, 0, name};
    record.begin_ns = begin;
    record.end_ns = end;
    return add(record);
  }
  InjectFile& call(std::uint32_t name, std::int64_t begin, std::int64_t end) {
    return add(CallRecord{{0, RecordKind::kCall, 2, name}, begin, end, 0, 1, 0, 5});
  }
  InjectFile& range(RecordKind kind, std::uint32_t name, std::int64_t at, std::uint32_t thread = 1,
                    std::uint32_t domain = 0, std::uint64_t id = 0) {
    return add(RangeRecord{{0, kind, 1, name}, at, id, thread, domain});
  }
  const std::string& bytes() const { return bytes_; }
  trace::Injected read() const {
    auto decoded = trace::decode_injected(bytes_);
    EXPECT_TRUE(decoded.ok());
    return std::move(*decoded);
  }

 private:
  template <class Value>
  void put(const Value& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  std::string bytes_;
};

InjectFile usual_file() {
  InjectFile file;
  file.name(1, "step").name(2, "_Z4axpyfPfS_").name(3, "cudaLaunchKernel_v7000");
  file.range(RecordKind::kPush, 1, 100).call(3, 110, 120).kernel(2, 130, 140);
  file.range(RecordKind::kPop, 0, 150);
  file.add(AllocationRecord{{0, RecordKind::kAllocation, 1, 0}, 1, 2, 3, 4, 0, 0, 3});
  file.add(DeviceRecord{{0, RecordKind::kDevice, 0, 1}, 1, 0, 2, 9, 0});
  file.add(ClockRecord{{0, RecordKind::kClock, 0, 0}, 50, 60});
  file.add(ExternalRecord{{0, RecordKind::kExternal, 1, 0}, 9, 1, 0});
  file.add(RefusalRecord{{0, RecordKind::kRefusal, 0, 0}, 39, 0});
  return file;
}

TEST(InjectDecoder, OtherFilesAreRefused) {
  EXPECT_THAT(trace::decode_injected("").error().message, HasSubstr("not a file of"));
  EXPECT_THAT(trace::decode_injected(std::string(200, 'x')).error().message,
              HasSubstr("not a file of"));
  std::string newer = InjectFile().bytes();
  newer[8] = kFormat + 1;
  EXPECT_THAT(trace::decode_injected(newer).error().message, HasSubstr("format 3"));
  EXPECT_FALSE(trace::read_injected("/nonexistent").ok());
}

TEST(InjectDecoder, EveryPrefixIsReadAsFarAsItGoes) {
  const std::string whole = usual_file().bytes();
  std::size_t most = 0;
  for (std::size_t size = sizeof(FileHeader); size <= whole.size(); ++size) {
    const auto read = trace::decode_injected(std::string_view(whole).substr(0, size));
    ASSERT_TRUE(read.ok());
    const std::size_t found = read->timeline.work.size() + read->timeline.calls.size() +
                              read->timeline.ranges.size() + read->allocations.size();
    EXPECT_GE(found, most);
    most = found;
  }
  EXPECT_EQ(most, 4U);
}

TEST(InjectDecoder, AnyBytesAreSafe) {
  const std::string whole = usual_file().bytes();
  std::mt19937 random(45);
  for (int round = 0; round < 2'000; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 1 + round % 8; ++i) {
      bytes[sizeof(FileHeader) + random() % (bytes.size() - sizeof(FileHeader))] =
          static_cast<char>(random());
    }
    const auto read = trace::decode_injected(bytes);
    ASSERT_TRUE(read.ok());
    for (const auto& work : read->timeline.work) {
      ASSERT_LE(work.begin_ns, work.end_ns);
      ASSERT_LT(work.name, read->timeline.names.size());
      ASSERT_LT(work.launch_shape, static_cast<int>(read->timeline.shapes.size()));
    }
    for (const auto& range : read->timeline.ranges) ASSERT_LE(range.begin_ns, range.end_ns);
  }
}

TEST(InjectDecoder, WhatIsUnknownIsSkipped) {
  InjectFile file;
  RangeRecord unknown{{0, static_cast<RecordKind>(200), 0, 0}, 1, 2, 3, 4};
  file.add(unknown).kernel(77, 10, 20);
  EXPECT_THAT(names_of_work(file.read().timeline), ElementsAre("(unnamed kernel)"));
}

TEST(InjectDecoder, OnlyMangledNamesAreDemangled) {
  InjectFile file;
  file.name(1, "f").name(2, "_Z1fi").name(3, "_Zbad").name(4, "triton_poi_fused_add_0");
  file.kernel(1, 1, 2).kernel(2, 2, 3).kernel(3, 3, 4).kernel(4, 4, 5);
  EXPECT_THAT(names_of_work(file.read().timeline),
              ElementsAre("f", "f(int)", "_Zbad", "triton_poi_fused_add_0"));
}

TEST(InjectDecoder, RangesPairByThreadAndDomain) {
  InjectFile file;
  file.name(1, "a").name(2, "b").name(3, "c").name(4, "library");
  file.range(RecordKind::kPush, 1, 10, 1).range(RecordKind::kPush, 2, 20, 2);
  file.range(RecordKind::kPush, 3, 30, 1, 4).range(RecordKind::kPop, 0, 40, 1);
  file.range(RecordKind::kPop, 0, 50, 2).range(RecordKind::kPop, 0, 60, 1, 4);
  const trace::Timeline timeline = file.read().timeline;
  EXPECT_THAT(names_of_ranges(timeline), ElementsAre("a", "b", "c"));
  std::vector<std::int64_t> ends;
  for (const auto& range : timeline.ranges) ends.push_back(range.end_ns);
  EXPECT_THAT(ends, ElementsAre(40, 50, 60));
}

TEST(InjectDecoder, OuterRangesComeFirst) {
  InjectFile file;
  file.name(1, "outer").name(2, "inner");
  file.range(RecordKind::kPush, 1, 10).range(RecordKind::kPush, 2, 10);
  file.range(RecordKind::kPop, 0, 20).range(RecordKind::kPop, 0, 30);
  EXPECT_THAT(names_of_ranges(file.read().timeline), ElementsAre("outer", "inner"));
}

TEST(InjectDecoder, HostTimesAreShiftedToTheClockOfCupti) {
  InjectFile file;
  file.name(1, "early");
  RangeRecord begin{{0, RecordKind::kPush, 0, 1}, 1000, 0, 1, 0};  // of the host's clock
  file.add(begin).add(ClockRecord{{0, RecordKind::kClock, 0, 0}, 1010, 51010});
  file.range(RecordKind::kPop, 0, 51020);
  const auto ranges = file.read().timeline.ranges;
  ASSERT_THAT(ranges, SizeIs(1));
  EXPECT_EQ(ranges[0].begin_ns, 51000);
  EXPECT_EQ(ranges[0].end_ns, 51020);
}

std::string steps_as_text(const InjectFile& file) {
  std::string text;
  for (const auto& step : file.read().steps.steps) {
    text += (text.empty() ? "" : " ") + std::to_string(step.window.begin_ns) + "-" +
            std::to_string(step.window.end_ns);
  }
  return text;
}

TEST(ProgramSteps, RangesElseProfilerCallsElseTheRun) {
  InjectFile ranges;
  ranges.name(1, "step 1").name(2, "Step_2").name(3, "cudaProfilerStart_v4000");
  ranges.range(RecordKind::kPush, 1, 10).range(RecordKind::kPush, 2, 15);  // inside: left out
  ranges.range(RecordKind::kPop, 0, 18).range(RecordKind::kPop, 0, 20);
  ranges.range(RecordKind::kStart, 1, 20, 2, 0, 7).range(RecordKind::kEnd, 0, 30, 3, 0, 7);
  ranges.call(3, 1, 2);
  EXPECT_EQ(steps_as_text(ranges), "10-20 20-30");

  InjectFile calls;
  calls.name(1, "cudaProfilerStart_v4000")
      .name(2, "cudaProfilerStop_v4000")
      .name(3, "cuProfilerStart");
  calls.kernel(0, 1, 5).call(1, 10, 12).call(2, 20, 22).call(2, 23, 24).call(3, 30, 32);
  calls.kernel(0, 35, 50);
  EXPECT_EQ(steps_as_text(calls), "12-20 32-50");  // the last has no stop

  InjectFile whole;
  whole.call(0, 5, 9).kernel(0, 8, 40);
  EXPECT_EQ(steps_as_text(whole), "5-40");
  EXPECT_EQ(steps_as_text(InjectFile()), "");
}

}  // namespace
}  // namespace sweepd
