// What libsweepd_inject.so records of CUDA, with a libcupti whose records are scripted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <tuple>

#include "tests/inject/traced_run.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using trace::CallKind;
using trace::WorkKind;

// The record layouts of CUDA 12.1, 12.8, 13.0 and 13.5.
class InjectLayouts : public testing::TestWithParam<std::pair<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(Versions, InjectLayouts,
                         testing::Values(std::pair("18", "CUPTI 12"), std::pair("26", "CUPTI 12"),
                                         std::pair("130001", "CUPTI 13.0"),
                                         std::pair("130500", "CUPTI 13.5")));

TEST_P(InjectLayouts, EachRecordIsReadWithAllItsFields) {
  const auto& [version, source] = GetParam();
  const InjectedRun run = run_traced({"cuda", "everything"}, {{"FAKE_CUPTI_VERSION", version}});
  ASSERT_EQ(run.exit_code, 0);
  ASSERT_THAT(run.files, SizeIs(1));
  const trace::Injected& read = run.files.at("own");
  const trace::Timeline& timeline = read.timeline;
  EXPECT_TRUE(read.ended);
  EXPECT_EQ(read.refusal, "");
  EXPECT_EQ(timeline.source, source);
  EXPECT_EQ(timeline.dropped, 0);

  ASSERT_THAT(names_of_work(timeline),
              ElementsAre("axpy(float, float*, float*)", "[CUDA memcpy DtoD]", "[CUDA memset]"));
  const auto& [kernel, copy, fill] = std::tie(timeline.work[0], timeline.work[1], timeline.work[2]);
  EXPECT_EQ(std::tuple(kernel.begin_ns, kernel.end_ns, kernel.correlation, kernel.device,
                       kernel.stream, kernel.graph, kernel.kind),
            std::tuple(1000, 1500, 11, 1, 7, 3, WorkKind::kKernel));
  const trace::LaunchShape& shape = timeline.shapes.at(0);
  EXPECT_EQ(kernel.launch_shape, 0);
  EXPECT_EQ(std::tuple(shape.grid, shape.block, shape.registers, shape.shared_bytes),
            std::tuple(Shape3{132, 2, 1}, Shape3{256, 1, 1}, 40, 3072));
  EXPECT_EQ(std::tuple(copy.begin_ns, copy.end_ns, copy.correlation, copy.device, copy.stream,
                       copy.graph, copy.bytes, copy.kind),
            std::tuple(2000, 2100, 12, 1, 8, 0, 4096, WorkKind::kCopy));
  EXPECT_EQ(std::tuple(fill.begin_ns, fill.end_ns, fill.correlation, fill.stream, fill.graph,
                       fill.bytes, fill.kind),
            std::tuple(3000, 3010, 13, 7, 4, 512, WorkKind::kFill));

  // Not the driver's call inside the runtime's.
  ASSERT_THAT(timeline.calls, SizeIs(2));
  const auto& [runtime, driver] = std::tie(timeline.calls[0], timeline.calls[1]);
  EXPECT_EQ(std::tuple(timeline.names[runtime.name], runtime.begin_ns, runtime.end_ns,
                       runtime.correlation, runtime.thread, runtime.kind),
            std::tuple("cudaLaunchKernel", 900, 950, 11, 4242, CallKind::kLaunch));
  EXPECT_EQ(std::tuple(timeline.names[driver.name], driver.correlation),
            std::tuple("cuLaunchKernel", 14));

  ASSERT_THAT(read.external, SizeIs(1));
  EXPECT_EQ(std::tuple(read.external[0].correlation, read.external[0].id, read.external[0].kind),
            std::tuple(11, 0x123456789AU, 4));
  // Not the host's.
  ASSERT_THAT(read.allocations, SizeIs(2));
  EXPECT_EQ(
      std::tuple(read.allocations[0].at_ns, read.allocations[0].address, read.allocations[0].bytes,
                 read.allocations[0].device, read.allocations[0].released),
      std::tuple(500, 0x7F0000000000U, 1 << 20, 1, false));
  EXPECT_TRUE(read.allocations[1].released);
  ASSERT_THAT(timeline.devices, SizeIs(1));
  EXPECT_EQ(std::tuple(timeline.devices[0].index, timeline.devices[0].name,
                       timeline.devices[0].multiprocessors, timeline.devices[0].memory.value),
            std::tuple(1, "NVIDIA H100 80GB HBM3", 132, 85'000'000'000));
  EXPECT_EQ(std::pair(timeline.devices[0].capability_major, timeline.devices[0].capability_minor),
            std::pair(9, 0));
}

TEST(InjectCupti, ProgramThatCallsNothingHasAnEmptyTrace) {
  EXPECT_THAT(run_traced({}).files, IsEmpty());
  const InjectedRun run = run_traced({"cuda"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.files.at("own").timeline.work, IsEmpty());
  EXPECT_THAT(run.files.at("own").steps.steps, IsEmpty());
  EXPECT_TRUE(run.files.at("own").ended);
}

TEST(InjectCupti, WithoutAFileToWriteNothingHappens) {
  for (const char* file : {"", "/nonexistent/folder/trace"}) {
    const InjectedRun run =
        run_traced({"cuda", "kernel=a", "exit=3"}, {{"SWEEPD_INJECT_FILE", file}});
    EXPECT_EQ(run.exit_code, 3);
    EXPECT_THAT(run.files, IsEmpty());
  }
}

TEST(InjectCupti, LostRecordsAreCounted) {
  const InjectedRun run = run_traced({"cuda", "kernel=a", "drop=5", "untimed"});
  EXPECT_EQ(run.files.at("own").timeline.dropped, 6);
  EXPECT_THAT(names_of_work(run.files.at("own").timeline), ElementsAre("a"));
}

TEST(InjectCupti, RecordsAboveTheLimitAreCounted) {
  // The first record is the one of the clocks.
  const InjectedRun run = run_traced({"cuda", "many=10"}, {{"SWEEPD_INJECT_RECORDS", "4"}});
  EXPECT_THAT(run.files.at("own").timeline.work, SizeIs(3));
  EXPECT_EQ(run.files.at("own").timeline.dropped, 7);
  const InjectedRun none = run_traced({"cuda", "many=10"}, {{"SWEEPD_INJECT_RECORDS", "0"}});
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_THAT(none.files.at("own").timeline.work, IsEmpty());
}

TEST(InjectCupti, MoreRecordsThanABufferHoldsAreAllRead) {
  const InjectedRun run = run_traced({"cuda", "many=20000"});  // 4 MB of CUPTI's records
  EXPECT_THAT(run.files.at("own").timeline.work, SizeIs(20000));
  EXPECT_EQ(run.files.at("own").timeline.dropped, 0);
}

TEST(InjectCupti, SecondClientIsRefusedWithTheReason) {
  for (const char* call : {"cuptiActivityRegisterCallbacks", "cuptiActivityEnable"}) {
    const InjectedRun run = run_traced({"cuda", "push=step", "pop", "kernel=a", "exit=4"},
                                       {{"FAKE_CUPTI_REFUSES", std::string(call) + ":39"}});
    EXPECT_EQ(run.exit_code, 4);
    const trace::Injected& read = run.files.at("own");
    EXPECT_EQ(read.refusal_code, 39);
    EXPECT_THAT(read.refusal, HasSubstr(call));
    EXPECT_THAT(read.refusal, HasSubstr("CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"));
    EXPECT_THAT(read.timeline.work, IsEmpty());
    EXPECT_THAT(read.timeline.ranges, IsEmpty());
  }
  // An older libcupti would not help.
  const InjectedRun run =
      run_traced({"cuda"}, {{"FAKE_CUPTI_REFUSES", "cuptiActivityEnable:39:libcupti.so.13"}});
  EXPECT_EQ(run.files.at("own").refusal_code, 39);
}

TEST(InjectCupti, LaterClientThatTakesTheBuffersIsNoticed) {
  const InjectedRun run = run_traced({"cuda", "kernel=a", "other-client", "exit=4"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_EQ(run.files.at("own").refusal_code, 39);
  EXPECT_THAT(run.files.at("own").refusal, HasSubstr("another profiler took CUPTI"));
}

TEST(InjectCupti, EarlierClientsBufferIsNotFreed) {
  const InjectedRun run = run_traced({"cuda", "foreign-buffer", "kernel=a", "exit=4"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_EQ(run.files.at("own").refusal_code, 39);
}

TEST(InjectCupti, NewestThatTheDriverTakesIsUsed) {
  const auto used = [](const std::string& refuses) {
    const InjectedRun run = run_traced({"cuda", "name-cupti"}, {{"FAKE_CUPTI_REFUSES", refuses}});
    const trace::Injected& read = run.files.at("own");
    return read.refusal.empty() ? names_of_work(read.timeline).at(0) : read.refusal;
  };
  EXPECT_EQ(used(""), "libcupti.so.13");
  EXPECT_EQ(used("cuptiActivityEnable:15:libcupti.so.13"), "libcupti.so.12");
  EXPECT_EQ(used("cuptiActivityRegisterCallbacks:15:libcupti.so.13"), "libcupti.so.12");
  EXPECT_EQ(used("cuptiGetVersion:15:libcupti.so.13"), "libcupti.so.12");
  EXPECT_EQ(used("cuptiGetTimestamp:15:libcupti.so.13"), "libcupti.so.12");
  EXPECT_THAT(used("cuptiActivityEnable:15"), HasSubstr("cuptiActivityEnable"));
}

TEST(InjectCupti, TheOneThatTheProgramHasComesFirst) {
  const std::string own = SWEEPD_FAKE_CUPTI "/libcupti.so.12";
  const InjectedRun run = run_traced({"load=" + own, "cuda", "name-cupti"});
  EXPECT_THAT(names_of_work(run.files.at("own").timeline), ElementsAre("libcupti.so.12"));
}

TEST(InjectCupti, FilesAndFoldersAreConfigured) {
  const std::string folder = SWEEPD_FAKE_CUPTI;
  const auto used = [](const std::string& list) {
    const InjectedRun run = run_traced({"cuda", "name-cupti"}, {{"SWEEPD_INJECT_CUPTI", list}});
    const trace::Injected& read = run.files.at("own");
    return read.refusal.empty() ? names_of_work(read.timeline).at(0) : read.refusal;
  };
  EXPECT_EQ(used("/nonexistent::" + folder), "libcupti.so.13");
  EXPECT_EQ(used(folder + "/libcupti.so.12"), "libcupti.so.12");
  EXPECT_EQ(used(folder + "/libcupti.so.12:" + folder + "/libcupti.so.13"), "libcupti.so.13");
  EXPECT_THAT(used("/nonexistent"), HasSubstr("/nonexistent"));
  EXPECT_THAT(used(""), HasSubstr("no libcupti"));
}

TEST(InjectCupti, ProfilerCallsAreTheSteps) {
  const InjectedRun run = run_traced({"cuda", "kernel=before", "profiler-start", "kernel=inside",
                                      "profiler-stop", "kernel=after"});
  const trace::Injected& read = run.files.at("own");
  ASSERT_THAT(read.timeline.work, SizeIs(3));
  EXPECT_EQ(read.steps.source, trace::StepSource::kProfilerCalls);
  ASSERT_THAT(read.steps.steps, SizeIs(1));
  EXPECT_GE(read.timeline.work[1].begin_ns, read.steps.steps[0].window.begin_ns);
  EXPECT_LE(read.timeline.work[1].end_ns, read.steps.steps[0].window.end_ns);
  EXPECT_LT(read.timeline.work[0].end_ns, read.steps.steps[0].window.begin_ns);
  EXPECT_GT(read.timeline.work[2].begin_ns, read.steps.steps[0].window.end_ns);
}

TEST(InjectLibrary, NeedsNothingButLibc) {
#if defined(SWEEPD_UNDER_ASAN) || defined(SWEEPD_UNDER_TSAN)
  GTEST_SKIP() << "the sanitizer's library is needed too";
#endif
  const std::unique_ptr<FILE, int (*)(FILE*)> listed(
      ::popen("readelf -d '" SWEEPD_INJECT_LIBRARY "'", "r"), &::pclose);
  std::array<char, 512> line{};
  int needed = 0;
  while (std::fgets(line.data(), line.size(), listed.get()) != nullptr) {
    const std::string text = line.data();
    if (text.find("(NEEDED)") == std::string::npos) continue;
    ++needed;
    EXPECT_THAT(text, testing::ContainsRegex("\\[(libc|libdl|libpthread|ld-linux.*)\\.so"));
  }
  EXPECT_GT(needed, 0);
}

}  // namespace
}  // namespace sweepd
