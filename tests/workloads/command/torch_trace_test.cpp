#include "workloads/command/torch_trace.h"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <tuple>

namespace sweepd::command {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A step of 10 ms with a range in its forward, a node of the backward on a thread of its own, and
// kernels that name their operators in the two ways that Kineto has. Times are microseconds.
constexpr const char* kTrace =
    R"trace({"schemaVersion": 1, "deviceProperties": [{"id": 1, "name": "other"},
  {"id": 0, "name": "NVIDIA H100", "computeMajor": 9, "computeMinor": 0, "numSms": 132}], "traceEvents": [
  {"ph": "X", "cat": "user_annotation", "name": "sweepd.step", "tid": 1, "ts": 1000.0, "dur": 10000},
  {"ph": "X", "cat": "user_annotation", "name": "sweepd.forward", "tid": 1, "ts": 1000.5, "dur": 4000},
  {"ph": "X", "cat": "user_annotation", "name": "sweepd.backward", "tid": 1, "ts": 5001, "dur": 3000},
  {"ph": "X", "cat": "user_annotation", "name": "Optimizer.step#AdamW.step", "tid": 1, "ts": 9000, "dur": 10},
  {"ph": "X", "cat": "user_annotation", "name": "attention", "tid": 1, "ts": 2000, "dur": 500},
  {"ph": "X", "cat": "cpu_op", "name": "aten::linear", "tid": 1, "ts": 2010, "dur": 300,
   "args": {"External id": 5, "Sequence number": 7, "Fwd thread id": 0}},
  {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "tid": 1, "ts": 2100, "dur": 100,
   "args": {"External id": 6, "Sequence number": 7, "Fwd thread id": 0}},
  {"ph": "X", "cat": "cpu_op", "name": "aten::add", "tid": 1, "ts": 3000, "dur": 50, "args": {"External id": 8}},
  {"ph": "X", "cat": "cpu_op", "name": "autograd::engine::evaluate_function: MmBackward0", "tid": 2,
   "ts": 5100, "dur": 900, "args": {"External id": 9, "Sequence number": 7, "Fwd thread id": 1}},
  {"ph": "X", "cat": "cpu_op", "name": "MmBackward0", "tid": 2, "ts": 5110, "dur": 800,
   "args": {"External id": 10, "Sequence number": 7, "Fwd thread id": 1}},
  {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "tid": 2, "ts": 5200, "dur": 400, "args": {"External id": 11}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "tid": 1, "ts": 3010, "dur": 5,
   "args": {"correlation": 77}},
  {"ph": "X", "cat": "kernel", "name": "gemm", "tid": 7, "ts": 2150, "dur": 80.5,
   "args": {"External id": 6, "correlation": 70, "device": 0, "stream": 7, "grid": [4, 2, 1], "block": [128, 1, 1],
            "registers per thread": 168, "shared memory": 1024}},
  {"ph": "X", "cat": "kernel", "name": "add", "tid": 7, "ts": 3050, "dur": 10,
   "args": {"correlation": 77, "device": 0, "stream": 7, "graph id": 3}},
  {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH (Device -> Pinned)", "tid": 7, "ts": 9500, "dur": 2,
   "args": {"device": 0, "stream": 7}},
  {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "ts": 2000}
]})trace";

std::string row(const OperatorRecord& op) {
  return op.name + "|" + op.phase + "|" + op.range + "|" + std::to_string(op.parent) + "|" +
         std::to_string(op.thread) + "|" + std::to_string(op.end_ns - op.begin_ns);
}

std::string row(const KernelRecord& kernel) {
  return kernel.name + "|" + std::to_string(kernel.launcher) + "|" +
         std::to_string(kernel.end_ns - kernel.begin_ns) + "|" + std::to_string(kernel.grid[0]);
}

TEST(ReadTorchTrace, MakesARecording) {
  const TorchTrace trace = read_torch_trace(kTrace);
  EXPECT_DOUBLE_EQ(trace.step_ms, 10);
  std::vector<std::string> operators, kernels;
  for (const OperatorRecord& op : trace.recording.operators) operators.push_back(row(op));
  for (const KernelRecord& kernel : trace.recording.kernels) kernels.push_back(row(kernel));
  EXPECT_THAT(operators,
              ElementsAre("aten::linear|forward|attention|-1|0|300000",
                          "aten::mm|forward|attention|0|0|100000", "aten::add|forward||-1|0|50000",
                          "MmBackward0|backward|attention|-1|1|800000",
                          "aten::mm|backward|attention|3|1|400000"));
  EXPECT_THAT(kernels,
              ElementsAre("gemm|1|80500|4", "add|2|10000|0", "[CUDA memcpy DtoH]|-1|2000|0"));
  ASSERT_EQ(trace.recording.ranges.size(), 1);  // torch's own annotations are none
  EXPECT_EQ(trace.recording.ranges[0].name, "attention");
  EXPECT_EQ(trace.recording.phases.size(), 2);
}

TEST(ReadTorchTrace, LeavesOutWhatIsBroken) {
  const TorchTrace trace = read_torch_trace(R"trace([{"ph": "X"}, 7, null,
    {"ph": "X", "cat": "cpu_op", "name": 5, "ts": "x", "dur": 1},
    {"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 1, "args": []},
    {"ph": "X", "cat": "cpu_op", "name": "op", "ts": 1, "dur": 2, "args": {"External id": "6", "grid": "x"}}])trace");
  EXPECT_EQ(trace.recording.operators.size(), 1);
  EXPECT_EQ(trace.recording.kernels.size(), 1);
}

TEST(ReadTorchTrace, SaysWhatIsNoTrace) {
  const auto mistake = [](const char* text) -> std::string {
    try {
      read_torch_trace(text);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(mistake("{"), HasSubstr("not JSON"));
  EXPECT_THAT(mistake("{}"), HasSubstr("traceEvents"));
  EXPECT_THAT(mistake(R"trace({"traceEvents": 5})trace"), HasSubstr("traceEvents"));
}

TEST(ReadTorchTrace, KernelsHaveTheirLaunchesAndDevice) {
  const TorchTrace trace = read_torch_trace(kTrace);
  EXPECT_EQ(trace.recording.begin_ns, 1'000'000);
  const auto& [gemm, add, copy] =
      std::tie(trace.recording.kernels[0], trace.recording.kernels[1], trace.recording.kernels[2]);
  EXPECT_EQ(gemm.registers, 168);
  EXPECT_EQ(gemm.shared_bytes, 1024);
  EXPECT_EQ(gemm.launch.id, 0U) << "the trace does not have its launch";
  EXPECT_EQ(std::tuple(add.launch.id, add.launch.begin_ns, add.launch.end_ns, add.launch.of_graph),
            std::tuple(77U, 3'010'000, 3'015'000, true));
  EXPECT_EQ(copy.launch.id, 0U);
  EXPECT_EQ(trace.device.name, "NVIDIA H100");
  EXPECT_EQ(trace.device.compute_capability, "9.0");
  EXPECT_EQ(trace.device.multiprocessors, 132);
}

}  // namespace
}  // namespace sweepd::command
