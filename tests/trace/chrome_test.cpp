#include "runner/trace/chrome.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/trace/trace_text.h"

namespace sweepd::trace {
namespace {

using ::testing::ElementsAre;

// As Kineto writes it on a machine with an NVIDIA GPU.
constexpr const char* kNvidia = R"json({
  "schemaVersion": 1,
  "deviceProperties": [{
      "id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85028765696,
      "computeMajor": 9, "computeMinor": 0, "warpSize": 32, "numSms": 132
  }],
  "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "pg_config": [{"rank": 99}]},
  "traceEvents": [
  {"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "args": {"name": "python"}},
  {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#4", "pid": 7, "tid": 70,
   "ts": 100.000, "dur": 90.5, "args": {"External id": 1}},
  {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 70, "ts": 102, "dur": 20,
   "args": {"External id": 2, "Sequence number": 18, "Input Dims": [[2, 3], [3, 4]]}},
  {"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 7, "tid": 70, "ts": 102, "dur": 25,
   "args": {}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 70, "ts": 110,
   "dur": 5.25, "args": {"cbid": 211, "correlation": 41}},
  {"ph": "X", "cat": "cuda_driver", "name": "cuStreamSynchronize", "pid": 7, "tid": 70, "ts": 130,
   "dur": 1, "args": {"correlation": 42}},
  {"ph": "X", "cat": "overhead", "name": "Buffer Flush", "pid": -1, "tid": 0, "ts": 140, "dur": 2},
  {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 121.001, "dur": 8,
   "args": {"device": 0, "context": 1, "stream": 7, "correlation": 41, "registers per thread": 90,
            "shared memory": 49152, "grid": [160, 2, 1], "block": [128, 1, 1], "graph id": 5,
            "est. achieved occupancy %": 12}},
  {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 115, "dur": 4,
   "args": {"device": 0, "stream": 7, "correlation": 40, "registers per thread": 90,
            "shared memory": 49152, "grid": [160, 2, 1], "block": [128, 1, 1]}},
  {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 1, "tid": 9,
   "ts": 150, "dur": 3, "args": {"bytes": 4096, "memory bandwidth (GB/s)": Inf}},
  {"ph": "X", "cat": "gpu_memset", "name": "Memset (Device)", "pid": 0, "tid": 7, "ts": 160,
   "dur": 0, "args": {"device": 0, "stream": 7, "bytes": 16}},
  {"ph": "X", "cat": "python_function", "name": "f.py(1): f", "pid": 0, "tid": 0, "ts": 1},
  {"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#4", "pid": 0, "tid": 7, "ts": 1},
  {"ph": "s", "id": 41, "cat": "ac2g", "name": "ac2g", "pid": 7, "tid": 70, "ts": 110}
  ], "traceName": "t.json"})json";

TEST(Chrome, TraceOfNvidiaBecomesATimeline) {
  const auto trace = parse_text(kNvidia);
  ASSERT_TRUE(trace) << trace.error().message;
  const Timeline& timeline = trace->timeline;
  EXPECT_EQ(trace->events, 14);
  EXPECT_EQ(trace->bytes, std::ssize(std::string_view(kNvidia)));
  EXPECT_EQ(trace->unusable, 0) << trace->first_unusable;
  EXPECT_EQ(timeline.source, "torch.profiler");
  EXPECT_EQ(timeline.rank, 3);
  EXPECT_EQ(timeline.world_size, 8);
  ASSERT_EQ(timeline.devices.size(), 1U);
  EXPECT_EQ(timeline.devices[0].name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(timeline.devices[0].multiprocessors, 132);
  EXPECT_EQ(timeline.devices[0].capability_major, 9);
  EXPECT_EQ(timeline.devices[0].memory.value, 85'028'765'696);

  ASSERT_EQ(timeline.work.size(), 4U);
  const DeviceWork& kernel = timeline.work[1];
  EXPECT_EQ(timeline.work[0].begin_ns, 115'000);  // by begin, whatever the order of the file
  EXPECT_EQ(kernel.begin_ns, 121'001);
  EXPECT_EQ(kernel.end_ns, 129'001);
  EXPECT_EQ(kernel.correlation, 41);
  EXPECT_EQ(kernel.stream, 7);
  EXPECT_EQ(kernel.graph, 5);
  ASSERT_EQ(timeline.shapes.size(), 1U);  // both kernels have it
  EXPECT_EQ(kernel.launch_shape, 0);
  EXPECT_EQ(timeline.shapes[0].grid, (Shape3{160, 2, 1}));
  EXPECT_EQ(timeline.shapes[0].block, (Shape3{128, 1, 1}));
  EXPECT_EQ(timeline.shapes[0].registers, 90);
  EXPECT_EQ(timeline.shapes[0].shared_bytes, 49'152);
  const DeviceWork& copy = timeline.work[2];
  EXPECT_EQ(timeline.names[copy.name], "[CUDA memcpy HtoD]");
  EXPECT_EQ(copy.kind, WorkKind::kCopy);
  EXPECT_EQ(copy.device, 1);  // its process and thread stand for device and stream
  EXPECT_EQ(copy.stream, 9);
  EXPECT_EQ(copy.bytes, 4'096);
  EXPECT_EQ(timeline.names[timeline.work[3].name], "[CUDA memset]");
  EXPECT_EQ(timeline.work[3].kind, WorkKind::kFill);

  ASSERT_EQ(timeline.calls.size(), 3U);
  EXPECT_EQ(timeline.calls[0].kind, CallKind::kLaunch);
  EXPECT_EQ(timeline.calls[0].end_ns, 115'250);
  EXPECT_EQ(timeline.calls[1].kind, CallKind::kSynchronize);
  EXPECT_EQ(timeline.names[timeline.calls[2].name], "[overhead] Buffer Flush");
  ASSERT_EQ(timeline.operators.size(), 2U);
  EXPECT_EQ(timeline.names[timeline.operators[0].name], "aten::linear");  // the caller
  EXPECT_EQ(timeline.operators[1].sequence, 18);
  ASSERT_EQ(timeline.ranges.size(), 1U);
  EXPECT_EQ(timeline.ranges[0].thread, 70);
}

TEST(Chrome, TheOnlyDeviceIsThatOfTheWork) {
  const auto index_of = [](std::string_view devices, int other) {
    const auto trace = parse_text(fmt::format(
        R"({{"deviceProperties": [{}], "traceEvents": [
        {{"ph": "X", "cat": "kernel", "name": "a", "ts": 1, "dur": 1, "args": {{"device": 2}}}},
        {{"ph": "X", "cat": "kernel", "name": "a", "ts": 3, "dur": 1, "args": {{"device": {}}}}}
        ]}})",
        devices, other));
    return trace ? trace->timeline.devices[0].index : -1;
  };
  constexpr std::string_view kOne = R"({"id": 0, "name": "AMD Instinct MI300X"})";
  EXPECT_EQ(index_of(kOne, 2), 2);
  EXPECT_EQ(index_of(kOne, 3), 0) << "work of two devices";
  EXPECT_EQ(index_of(R"({"id": 0}, {"id": 1})", 2), 0) << "two devices";
}

TEST(Chrome, TraceOfAmdBecomesATimeline) {
  const auto trace = parse_text(R"({
    "deviceProperties": [{"id": 2, "warpSize": 64, "name": "AMD Instinct MI300X",
      "totalGlobalMem": 206141652992, "computeMajor": 9, "computeMinor": 4, "numSms": 304}],
    "traceEvents": [
    {"ph": "X", "cat": "cuda_runtime", "name": "hipExtModuleLaunchKernel", "pid": 5, "tid": 5,
     "ts": 10, "dur": 2, "args": {"kernel": "Cijk_Ailk", "correlation": 9}},
    {"ph": "X", "cat": "cuda_runtime", "name": "hipMemcpyWithStream", "pid": 5, "tid": 5,
     "ts": 14, "dur": 2, "args": {"correlation": 10}},
    {"ph": "X", "cat": "kernel", "name": "Cijk_Ailk_Bljk_BBS_BH", "pid": 2, "tid": 0, "ts": 20,
     "dur": 30, "args": {"device": 2, "stream": 0, "correlation": 9, "kind": "Dispatch Kernel",
                         "grid": [8, 8, 1], "block": [256, 1, 1]}},
    {"ph": "X", "cat": "gpu_memcpy", "name": "CopyHostToDevice", "pid": 2, "tid": 0, "ts": 60,
     "dur": 1, "args": {"device": 2, "stream": 0, "correlation": 10, "size": "64"}}]})");
  ASSERT_TRUE(trace) << trace.error().message;
  const Timeline& timeline = trace->timeline;
  EXPECT_EQ(timeline.devices[0].index, 2);
  EXPECT_EQ(timeline.devices[0].capability_major, 0) << "it is not CUDA's";
  EXPECT_EQ(timeline.devices[0].multiprocessors, 304);
  EXPECT_EQ(timeline.calls[0].kind, CallKind::kLaunch);
  EXPECT_EQ(timeline.calls[1].kind, CallKind::kCopy);
  EXPECT_EQ(timeline.work[0].device, 2);
  EXPECT_EQ(timeline.work[0].correlation, 9);
  EXPECT_EQ(timeline.names[timeline.work[1].name], "[CUDA memcpy HtoD]");
  EXPECT_EQ(timeline.rank, 0);
  EXPECT_EQ(timeline.world_size, 1);
}

TEST(Chrome, OrderOfMembersAndSizeOfPiecesDoNotMatter) {
  const std::string text = trace_of(R"({"args": {"stream": 3, "device": 1, "nested": {"device": 8}},
      "dur": 2, "ts": 1, "name": "k\u00e9\"rnel", "ph": "X", "tid": "stream 3", "cat": "kernel"})");
  for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{1000}}) {
    const auto trace = parse_text(text, {}, piece);
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(trace->timeline.work[0].device, 1);
    EXPECT_EQ(trace->timeline.work[0].stream, 3);
    EXPECT_EQ(trace->timeline.names[0], "ké\"rnel");
  }
}

TEST(Chrome, ListOfEventsIsATraceToo) {
  const auto trace =
      parse_text(R"([{"ph":"X","cat":"Operator","name":"a","ts":1,"dur":1,"tid":4}])");
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->timeline.operators.size(), 1U);
}

TEST(Chrome, KindsOfWorkAreRecognised) {
  const auto trace = parse_text(trace_of(R"json(
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoD (Device -> Device)","pid":0,"ts":1,"dur":1},
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy PtoP","pid":0,"ts":2,"dur":1},
    {"ph":"X","cat":"gpu_memcpy","name":"CopyDeviceToHost","pid":0,"ts":3,"dur":1},
    {"ph":"X","cat":"gpu_memcpy","name":"?","pid":0,"ts":4,"dur":1})json"));
  ASSERT_TRUE(trace) << trace.error().message;
  std::vector<std::string> names;
  for (const DeviceWork& work : trace->timeline.work) {
    names.push_back(trace->timeline.names[work.name]);
  }
  EXPECT_THAT(names, ElementsAre("[CUDA memcpy DtoD]", "[CUDA memcpy PtoP]", "[CUDA memcpy DtoH]",
                                 "[CUDA memcpy]"));
}

// An operator with these arguments, and the work that is read of it.
std::string op_text(std::string_view name, std::string_view arguments) {
  return R"({"ph":"X","cat":"cpu_op","tid":1,"ts":1,"dur":1,"args":{)" + std::string(arguments) +
         R"(},"name":")" + std::string(name) + "\"}";
}
std::vector<std::int32_t> works_in(const Result<ChromeTrace>& trace) {
  std::vector<std::int32_t> works;
  for (const HostSpan& op : trace->timeline.operators) works.push_back(op.work);
  return works;
}

TEST(Chrome, OperatorsOfEqualShapesShareTheirWork) {
  const std::string small = R"("Input Dims":[[2,3],[3,4]],"Input type":["float","float"])";
  const std::string large = R"("Input type":["float","float"],"Input Dims":[[20,3],[3,4]])";
  const std::string added = R"("Input Dims":[[2],[2],[]],"Input type":["float","float","Scalar"])";
  const auto trace =
      parse_text(trace_of(op_text("aten::mm", small) + "," + op_text("aten::mm", large) + "," +
                          op_text("aten::mm", small) + "," + op_text("aten::linear", small) + "," +
                          op_text("aten::add", added + R"(,"Concrete Inputs":["","","1"])") + "," +
                          op_text("aten::add", added + R"(,"Concrete Inputs":["","","-0.5"])")));
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_THAT(works_in(trace), ElementsAre(0, 1, 0, -1, 2, 2));
  ASSERT_EQ(trace->timeline.operator_work.size(), 3U);
  EXPECT_EQ(trace->timeline.operator_work[0].flops, 2 * 2 * 3 * 4);
  EXPECT_EQ(trace->timeline.operator_work[1].flops, 2 * 20 * 3 * 4);
  EXPECT_EQ(trace->timeline.operator_work[2].bytes, 3 * 2 * 4);
}

TEST(Chrome, AttentionIsCausalIfItsValuesSaySo) {
  const auto attention = [](const char* causal) {
    const std::string tensor = "[2,4,8,16]", type = R"("float")";
    return op_text("aten::_scaled_dot_product_flash_attention_for_cpu",
                   R"("Input Dims":[)" + tensor + "," + tensor + "," + tensor + ",[],[]]" +
                       R"(,"Input type":[)" + type + "," + type + "," + type +
                       R"(,"Scalar","Scalar"],"Concrete Inputs":["","","","0.",")" + causal +
                       "\"]");
  };
  const auto trace = parse_text(trace_of(attention("True") + "," + attention("False")));
  ASSERT_TRUE(trace) << trace.error().message;
  ASSERT_THAT(works_in(trace), ElementsAre(0, 1));
  EXPECT_EQ(trace->timeline.operator_work[1].flops, 4.0 * 2 * 4 * 8 * 8 * 16);
  EXPECT_EQ(trace->timeline.operator_work[0].flops, trace->timeline.operator_work[1].flops / 2);
}

TEST(Chrome, AnOperatorWithoutUsableShapesHasNoWork) {
  const std::string types = R"(,"Input type":["float","float"])";
  std::string dims = "[3";
  for (int i = 0; i < 500; ++i) dims += ",3";
  for (const std::string& arguments :
       {std::string(), std::string(R"("Input Dims":[[2,3],[3,4]])"),
        R"("Input Dims":[[2,3],[3,4]],"Input type":["float"])" + std::string(),
        R"("Input Dims":[[[2,3]],[3,4]])" + types, R"("Input Dims":[[2,"x"],[3,4]])" + types,
        R"("Input Dims":[[2,-3],[-3,4]])" + types, R"("Input Dims":[[2,null],[3,4]])" + types,
        R"("Input Dims":[2,3])" + types, R"("Input Dims":[{"a":2},[3,4]])" + types,
        R"("Input Dims":{"a":[[2,3],[3,4]]})" + types, R"("Input Dims":"[[2,3],[3,4]]")" + types,
        R"("Input Dims":[[2,3],[3,99999999999999999999]])" + types,
        R"("Input Dims":[[2,3],)" + dims + "]]" + types}) {
    const auto trace = parse_text(trace_of(op_text("aten::mm", arguments)));
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(trace->unusable, 0);
    EXPECT_THAT(works_in(trace), ElementsAre(-1)) << arguments;
  }
}

}  // namespace
}  // namespace sweepd::trace
