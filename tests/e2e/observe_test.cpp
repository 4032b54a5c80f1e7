// A program that trains with PyTorch without sweepd's API, from its file to its tables:
// times by phase, rates, memory and kernels. Torch is tests/fake_torch, whose clock counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kTraining = R"(
import sys, torch
model, optimizer = torch.nn.Module(), torch.Optimizer()
model.ms = int(sys.argv[1].removeprefix("--ms="))
for step in range(600000):
    model().backward()
    optimizer.step()
    print("step", step, flush=True)
)";

TEST(Observe, AnUnchangedProgramHasPhasesMemoryKernelsAndRates) {
  const Sandbox box;
  box.write("train.py", kTraining);
  const std::string file =
      box.write("own.yaml",
                "sweep: own\n"
                "program: gpt\n"
                "parameters: {ms: 1}\n"
                "params: {argv: train.py, args: auto, observe: torch, warmup: 2, steps: 4, "
                "device: cpu, env: 'PYTHONPATH=" EXPERIMENTS
                "/.."
                "/tests/fake_torch'}\n"
                "passes: [timing, memory, profile]\n"
                "work: {tokens: '{ms} * 1000', flops: count}\n"
                "matrix: {ms: [1, 9]}\n"
                "tables:\n"
                "  - rows: [ms]\n"
                "    columns: [phase]\n"
                "    cell: '{mean:.0f} n={n}'\n"
                "  - rows: [ms]\n"
                "    values:\n"
                "      - {name: Tokens, cell: '{tokens_per_s:.0f}', where: {phase: step}}\n"
                "      - {name: Rate, cell: '{tflops:.3e}', where: {phase: step}}\n"
                "      - {name: Peak, metric: peak_allocated_bytes, unit: B, cell: '{max:.0f}', "
                "where: {phase: forward}}\n"
                "  - rows: [ms, kernel, range]\n"
                "    values: [{name: Time, metric: kernel_time, cell: '{mean:.0f}'}]\n");
  const Ran ran = box.ctl({"submit", file, "--wait"});
  ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err << box.ctl({"show", "own"}).out;
  const std::string report = box.ctl({"report", "own", "--format", "csv"}).out;
  // Marked, because its steps take longer than the program: only the fake's clock runs so fast.
  EXPECT_THAT(report, AllOf(HasSubstr("1,0 n=4†,1 n=4†,10 n=4†,100 n=4†,111 n=4†"),
                            HasSubstr("1,9009†,1.000e-06†,1000"),  // 1000 tokens in 111 ms
                            HasSubstr("9,aten::mm,block,9"), HasSubstr("9,MmBackward0,other,10")));
}

TEST(Observe, AProgramThatDoesNotTrainFailsWithTheReason) {
  const Sandbox box;
  box.write("train.py", "print('nothing')\n");
  const std::string file = box.write("own.yaml",
                                     "sweep: own\nprogram: gpt\nparameters: {ms: 1}\n"
                                     "params: {argv: train.py, observe: torch, device: cpu}\n");
  box.ctl({"submit", file, "--wait"});
  EXPECT_THAT(box.ctl({"show", "own"}).out, HasSubstr("it did not import torch"));
}

}  // namespace
}  // namespace sweepd::e2e
