// Tests how a program's end is classified.
#include "workloads/command/failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>

#include "tests/worker/temp_folder.h"
#include "workloads/api/crash.h"
#include "workloads/api/failure.h"

namespace sweepd::command {
namespace {

Ended exited(int code) {
  Ended ended;
  ended.exit_code = code;
  return ended;
}
Ended signalled(int signal) {
  Ended ended;
  ended.signal = signal;
  return ended;
}

// Returns "oom 2684354560", "skipped: reason" ...
std::string judged(const Ended& ended, const std::vector<std::string>& output,
                   bool killed = false) {
  Symptoms symptoms;
  for (const std::string& line : output) symptoms.read(line);
  try {
    symptoms.judge(ended, killed, {});
    return "done";
  } catch (const Unavailable& e) {
    return std::string("skipped: ") + e.what();
  } catch (const OutOfMemory& e) {
    return "oom " + std::to_string(e.requested.value);
  } catch (const Crash& e) {
    return "crashed " + std::to_string(e.signal) + ": " + e.what();
  } catch (const std::runtime_error& e) {
    return std::string("failed: ") + e.what();
  }
}

TEST(Symptoms, MakeOutcomesOfEnds) {
  EXPECT_EQ(judged(exited(0), {"all fine"}), "done");
  EXPECT_EQ(judged(exited(3), {}), "failed: the program ended with exit code 3");
  EXPECT_EQ(judged(exited(1), {"Traceback", "ValueError: no", ""}),
            "failed: the program ended with exit code 1: ValueError: no");
  EXPECT_EQ(judged(signalled(SIGSEGV), {}), "crashed 11: the program was ended by SIGSEGV");
  EXPECT_EQ(judged(signalled(SIGKILL), {"x"}), "crashed 9: the program was ended by SIGKILL: x");
}

TEST(Symptoms, AnExceptionIsTheReasonWithAllItsLines) {
  const auto reason = [](const std::vector<std::string>& output) {
    const std::string all = judged(exited(1), output);
    constexpr std::string_view kBefore = "failed: the program ended with exit code 1";
    return all.substr(std::min(all.size(), kBefore.size()));
  };
  const std::string begin = "Traceback (most recent call last):", frame = "  File \"a.py\", line 1";
  EXPECT_EQ(reason({begin, frame, "    raise x", "ValueError: bad data", "second line"}),
            ": ValueError: bad data second line");
  EXPECT_EQ(reason({begin, frame, "RuntimeError: Error(s) in loading:", "\tMissing key: a"}),
            ": RuntimeError: Error(s) in loading: Missing key: a");
  EXPECT_EQ(reason({"[rank0]: " + begin, "[rank0]:   File", "[rank0]: KeyError: 'x'"}),
            ": KeyError: 'x'");
  // Standard output is buffered.
  EXPECT_EQ(reason({begin, frame, "ValueError: bad", "0 2.5", "step 1: loss 2.5", "the end"}),
            ": ValueError: bad");
  EXPECT_EQ(reason({begin, frame, "KeyError: 'x'", "",
                    "During handling of the above exception:", begin, frame, "ValueError: last"}),
            ": ValueError: last");
  EXPECT_EQ(reason({begin, frame, "ValueError: first", begin, frame, "a.ChildFailedError: ", "=="}),
            ": ValueError: first");
  EXPECT_EQ(reason({begin, frame, "ValueError: last", "Exception ignored in: <f>", begin, frame,
                    "AttributeError: x"}),
            ": ValueError: last");
  std::vector<std::string> survived{begin, frame, "ValueError: survived"};
  survived.insert(survived.end(), 101, "going on");
  survived.emplace_back("too many errors");
  EXPECT_EQ(reason(survived), ": too many errors");
}

TEST(Symptoms, FiguresAreNoReason) {
  for (const char* line : {"4 62.878944396972656", "17", "iter 5: loss 2.3, time 12.5ms",
                           "epoch=1 loss=0.25 | lr 1e-4"}) {
    EXPECT_EQ(judged(exited(3), {line}), "failed: the program ended with exit code 3") << line;
    EXPECT_EQ(judged(exited(3), {"no GPU", line}),
              "failed: the program ended with exit code 3: no GPU");
  }
  for (const char* line : {"CUDA 12.4 required", "error 2.5", "2026-11-30 12:00:01.123 lost",
                           "train.py: error: argument --lr: invalid float value: '0.x'"}) {
    EXPECT_EQ(judged(exited(3), {line}),
              std::string("failed: the program ended with exit code 3: ") + line);
  }
}

TEST(Symptoms, ASkipHasItsReason) {
  EXPECT_EQ(judged(exited(77), {"looking", "no torch here; pip install torch"}),
            "skipped: no torch here; pip install torch");
  EXPECT_EQ(judged(exited(77), {}),
            "skipped: the program ended with exit code 77, without a reason");
  EXPECT_EQ(judged(exited(0), {"SWEEPD_SKIP: needs two GPUs", "bye"}), "skipped: needs two GPUs");
}

TEST(Symptoms, OutOfMemoryIsRecognised) {
  const std::string torch =
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has ...";
  EXPECT_EQ(judged(exited(1), {"Traceback", torch}), "oom 2684354560");
  EXPECT_EQ(judged(exited(1), {"RuntimeError: [enforce fail at alloc_cpu.cpp:121] . "
                               "DefaultCPUAllocator: can't allocate memory: you tried to allocate "
                               "4096 bytes. Error code 12"}),
            "oom 4096");
  EXPECT_EQ(judged(exited(1), {"MemoryError"}), "oom 0");
  EXPECT_EQ(judged(signalled(SIGABRT), {"terminate called after ... 'std::bad_alloc'"}), "oom 0");
  EXPECT_EQ(judged(exited(0), {torch}), "done") << "it went on and ended well";
  EXPECT_EQ(judged(exited(1), {"ValueError: not a MemoryError at all"}),
            "failed: the program ended with exit code 1: ValueError: not a MemoryError at all");
}

TEST(Symptoms, OutOfMemoryThatWasSurvivedExplainsNothing) {
  const std::string torch =
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB";
  const std::string file = "FileNotFoundError: [Errno 2] No such file or directory: 'data.bin'";
  EXPECT_EQ(judged(exited(1), {torch, "halving the batch", "Traceback", file}),
            "failed: the program ended with exit code 1: " + file);
  EXPECT_EQ(judged(exited(1), {"[rank0]: " + torch, "[rank0]: " + file}),
            "failed: the program ended with exit code 1: [rank0]: " + file);
  EXPECT_EQ(judged(exited(1), {file, torch}), "oom 1073741824") << "the last one counts";
  // What only says that the other failed.
  const std::string cause = "The above exception was the direct cause of the following exception:";
  EXPECT_EQ(judged(exited(1), {torch, cause, "Traceback", "RuntimeError: no batch fits"}),
            "oom 1073741824");
  EXPECT_EQ(judged(exited(1),
                   {torch, "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: "}),
            "oom 1073741824");
  EXPECT_EQ(judged(exited(1), {torch, "Exception ignored in: <function Pool.__del__>",
                               "AttributeError: 'NoneType' object has no attribute 'close'"}),
            "oom 1073741824");
}

TEST(Symptoms, AProgramThatSaysThatItGoesOnHasSurvived) {
  const std::string ggml =
      "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 51748.72 MiB on device 1: cudaMalloc "
      "failed: out of memory";
  EXPECT_EQ(judged(exited(1), {ggml,
                               "sched_reserve: compute buffer allocation failed, retrying without "
                               "pipeline parallelism",
                               "error: invalid prompt"}),
            "failed: the program ended with exit code 1: error: invalid prompt");
  EXPECT_EQ(judged(exited(1), {ggml, "graph_reserve: failed to allocate compute buffers",
                               "main: exiting due to model loading error"}),
            "oom 54262465822");
}

// The line that says how much it was need not be the first one.
TEST(Symptoms, OutOfMemoryHasTheAmountOfTheFirstLineThatSaysIt) {
  EXPECT_EQ(
      judged(exited(1), {"n:1:2 [3] include/alloc.h:178 NCCL WARN Cuda failure 'out of memory'",
                         "n:1:2 [3] include/alloc.h:185 NCCL WARN Failed to CUDA calloc 4096 bytes",
                         "n:1:3 [4] include/alloc.h:185 NCCL WARN Failed to CUDA calloc 512 bytes",
                         "torch.distributed.DistBackendError: NCCL error in: x.cpp:1296"}),
      "oom 4096");
}

TEST(Symptoms, TheFailureOfVllmsEngineHasTheCauseOfTheEngine) {
  EXPECT_EQ(judged(exited(1),
                   {"(EngineCore_DP0 pid=7) ERROR 09-28 15:47:24 [core.py:718] ValueError: No "
                    "available memory for the cache blocks. Try increasing it.",
                    "RuntimeError: Engine core initialization failed. See root cause above. Failed "
                    "core proc(s): {}"}),
            "oom 0");
}

TEST(Symptoms, AProgramThatPrintsAStepHasSurvived) {
  Symptoms symptoms;
  const auto is_oom = [&] {
    try {
      symptoms.judge(exited(2), false, {});
    } catch (const OutOfMemory&) {
      return true;
    } catch (const std::runtime_error&) {
    }
    return false;
  };
  symptoms.read("caught std::bad_alloc");
  EXPECT_TRUE(is_oom());
  symptoms.went_on();
  EXPECT_FALSE(is_oom());
}

TEST(Symptoms, AKillIsOutOfMemoryWhereTheKernelCountsOne) {
  EXPECT_EQ(judged(signalled(SIGKILL), {}, true), "oom 0");
  EXPECT_EQ(judged(exited(137), {}, true), "oom 0");  // as a shell reports it
  EXPECT_EQ(judged(exited(137), {}, false), "failed: the program ended with exit code 137");
  EXPECT_EQ(judged(signalled(SIGTERM), {}, true), "crashed 15: the program was ended by SIGTERM");
}

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

TEST(KillsForMemory, AreCountedByEitherControlGroup) {
  const TempFolder v2, v1, none;
  write(v2.path() / "proc/self/cgroup", "0::/job/a\n");
  write(v2.path() / "sys/fs/cgroup/job/a/memory.events",
        "low 0\nhigh 0\nmax 7\noom 2\noom_kill 3\noom_group_kill 0\n");
  EXPECT_EQ(kills_for_memory(v2.path()), 3);
  write(v1.path() / "proc/self/cgroup", "4:cpu:/x\n5:memory:/x\n");
  write(v1.path() / "sys/fs/cgroup/memory/memory.oom_control",
        "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
  EXPECT_EQ(kills_for_memory(v1.path()), 1);
  EXPECT_EQ(kills_for_memory(none.path()), std::nullopt);
}

}  // namespace
}  // namespace sweepd::command
