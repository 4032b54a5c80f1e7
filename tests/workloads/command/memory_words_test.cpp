// Lines as programs print them when memory is not enough, and lines that are none of these.
#include "workloads/command/memory_words.h"

#include <gmock/gmock.h>

namespace sweepd::command {
namespace {

constexpr double kKiB = 0x1p10, kMiB = 0x1p20, kGiB = 0x1p30;

TEST(MemoryWords, SayThatAnAllocationFailedAndHowMuchItWas) {
  const struct {
    const char* line;
    double requested = 0;
  } cases[] = {
      // PyTorch
      {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total",
       2.5 * kGiB},
      {"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 79.15",
       20 * kMiB},
      {"[rank0]: torch.OutOfMemoryError: HIP out of memory. Tried to allocate 256.00 MiB. GPU 0",
       256 * kMiB},
      {"RuntimeError: XPU out of memory. Tried to allocate 1.00 GiB (GPU 0; 15.91 GiB total)",
       kGiB},
      {"RuntimeError: MPS backend out of memory (MPS allocated: 18.02 GB, other allocations: "
       "384.00 "
       "KB, max allowed: 18.13 GB). Tried to allocate 128.00 MB on private pool.",
       128 * kMiB},
      {"RuntimeError: [enforce fail at alloc_cpu.cpp:121] . DefaultCPUAllocator: can't allocate "
       "memory: you tried to allocate 4096 bytes. Error code 12",
       4 * kKiB},
      {"RuntimeError: CUDA error: out of memory"},
      {"RuntimeError: HIP error: out of memory"},
      {"terminate called after throwing an instance of 'c10::OutOfMemoryError'"},
      {"RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"},
      {"RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED"},
      // XLA and TensorFlow
      {"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to "
       "allocate 7406166528 bytes.",
       7406166528},
      {"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating "
       "20029400304 bytes.",
       20029400304},
      {"RuntimeError: Resource exhausted: Out of memory while trying to allocate 24 bytes.", 24},
      {"jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out "
       "of "
       "memory in memory space hbm. Used 17.81G of 15.48G hbm."},
      {"XlaRuntimeError: RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to "
       "allocate "
       "256.00M. That was not possible. There are 129.93M free.",
       256 * kMiB},
      {"W external/xla/xla/tsl/framework/bfc_allocator.cc:497] Allocator (GPU_0_bfc) ran out of "
       "memory trying to allocate 18.65GiB (rounded to 20029400320)requested by op",
       18.65 * kGiB},
      {"tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor "
       "with shape[512,1024] and type float on /job:localhost/replica:0/task:0/device:GPU:0"},
      // NCCL and RCCL
      {"node2:24881:25568 [2] include/alloc.h:178 NCCL WARN Cuda failure 'out of memory'"},
      {"node2:1:2 [0] enqueue.cc:1085 NCCL WARN Cuda failure 2 'out of memory'"},
      {"node2:24881:25568 [2] include/alloc.h:185 NCCL WARN Failed to CUDA calloc 10485760 bytes",
       10485760},
      {"node2:1:2 [0] include/alloc.h:230 NCCL WARN Failed to CUDA calloc async 2432 bytes", 2432},
      {"node01: Test CUDA failure common.cu:1000 'out of memory'"},
      // CuPy, Numba, PyCUDA
      {"cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 8,589,934,592 bytes (allocated "
       "so far: 0 bytes).",
       8 * kGiB},
      {"numba.cuda.cudadrv.driver.CudaAPIError: [2] Call to cuMemAlloc results in "
       "CUDA_ERROR_OUT_OF_MEMORY"},
      {"pycuda._driver.MemoryError: cuMemAlloc failed: out of memory"},
      // ggml
      {"ggml_backend_cuda_buffer_type_alloc_buffer: allocating 14136.04 MiB on device 0: "
       "cudaMalloc "
       "failed: out of memory",
       14136.04 * kMiB},
      {"0.06.520.084 E ggml_gallocr_reserve_n_impl: failed to allocate CUDA1 buffer of size "
       "54262464512",
       54262464512},
      {"llama_model_load: error loading model: unable to allocate CUDA0 buffer"},
      {"llama_init_from_model: failed to initialize the context: failed to allocate buffer for kv "
       "cache"},
      {"graph_reserve: failed to allocate compute buffers"},
      {"CUDA error 2 at ggml-cuda.cu:7233: out of memory"},
      // vLLM
      {"ValueError: No available memory for the cache blocks. Try increasing "
       "`gpu_memory_utilization` when initializing the engine."},
      {"(EngineCore_DP0 pid=17374) ERROR 09-28 15:47:24 [core.py:718] ValueError: Free memory on "
       "device (3.22/4.0 GiB) on startup is less than desired GPU memory utilization (0.9, 3.6 "
       "GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes."},
      // Python and others
      {"MemoryError"},
      {"MemoryError: "},
      {"[rank3]: MemoryError"},
      {"numpy._core._exceptions._ArrayMemoryError: Unable to allocate 74.5 GiB for an array with "
       "shape (100000, 100000) and data type float64",
       74.5 * kGiB},
      {"OSError: [Errno 12] Cannot allocate memory"},
      {"bash: fork: Cannot allocate memory"},
      {"terminate called after throwing an instance of 'std::bad_alloc'"},
      {"memory allocation of 68719476736 bytes failed", 68719476736},
      {"fatal error: runtime: out of memory"},
      {"runtime: out of memory: cannot allocate 8589934592-byte block (66781184 in use)", 8 * kGiB},
      {"Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space"},
      {"ERROR: LoadError: OutOfMemoryError()"},
      {"ERROR: Out of GPU memory trying to allocate 74.506 GiB", 74.506 * kGiB},
      {"Error: cannot allocate vector of size 7.5 Gb", 7.5 * kGiB},
      // Slurm and the kernel
      {"slurmstepd: error: Detected 1 oom_kill event in StepId=11300781.0. Some of the step tasks "
       "have been OOM Killed."},
      {"slurmstepd: error: Detected 1 oom-kill event(s) in step 3495064.0 cgroup. Some of your "
       "processes may have been killed by the cgroup out-of-memory handler."},
      {"srun: error: sdumont6156: task 0: Out Of Memory"},
      {"srun: error: nid001277: tasks 1-3: Out Of Memory"},
      {"slurmstepd: error: Exceeded step memory limit at some point."},
      {"[123.4] Out of memory: Killed process 4242 (python) total-vm:8388608kB"},
  };
  for (const auto& c : cases) {
    EXPECT_TRUE(says_out_of_memory(c.line)) << c.line;
    EXPECT_EQ(requested_bytes(c.line).value, static_cast<std::int64_t>(c.requested)) << c.line;
  }
}

TEST(MemoryWords, DoNotCountWhereNothingFailed) {
  for (
      const char* line : {
          "out of memory: no",
          "CUDA out of memory: no",
          "handling out of memory gracefully",
          "--retries N      halve the batch when CUDA out of memory errors occur",
          "this catches torch.OutOfMemoryError and MemoryError, if any",
          "except torch.OutOfMemoryError:",
          "except MemoryError:",
          "a CUDA error such as out of memory ends the run",
          "raise MemoryError(\"no\")",
          "ValueError: not a MemoryError at all",
          "0 CUDA OOM errors thrown.",
          "oom_kill 0",
          "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 163840, "
          "Hardware limit: 101376. Reducing block sizes or `num_stages` may help.",
          "grpc: received message larger than max (RESOURCE_EXHAUSTED)",
          "W tensorflow/tsl/framework/bfc_allocator.cc:296] Allocator (GPU_0_bfc) ran out of "
          "memory trying to allocate 4.40GiB with freed_by_count=0. The caller indicates that this "
          "is not a failure, but this may mean that there could be performance gains if more "
          "memory were available.",
          "warning: failed to mlock 102400000-byte buffer (after previously locking 0 bytes): "
          "Cannot allocate memory",
          "NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory",
          "| WARNING: CUDA out of memory, skipping batch",
          "load_tensors:        CUDA0 buffer size = 45460.59 MiB",
          "NCCL INFO channel.cc:52 Cuda Alloc Size 16 pointer 0x7f4ee8000800",
          "Available KV cache memory: 2.08 GiB",
          "peak memory: 3 GiB",
          "",
      }) {
    EXPECT_FALSE(says_out_of_memory(line)) << line;
  }
}

TEST(MemoryWords, SayThatTheProgramGoesOn) {
  EXPECT_TRUE(says_memory_was_survived(
      "sched_reserve: compute buffer allocation failed, retrying without pipeline parallelism"));
  EXPECT_TRUE(says_memory_was_survived("CUDA out of memory, skipping batch"));
  EXPECT_FALSE(says_memory_was_survived("connection lost, retrying"));
  EXPECT_FALSE(says_memory_was_survived("CUDA out of memory. Tried to allocate 1.00 GiB"));
}

TEST(RequestedBytes, IsNothingWhereNoAmountStands) {
  for (const char* line :
       {"Tried to allocate a lot", "Tried to allocate", "nothing", "Tried to allocate -5 GiB",
        "Tried to allocate nan GiB", "Tried to allocate inf bytes", "Tried to allocate 5 tensors",
        "Tried to allocate 99999999999999999999 GiB", "Tried to allocate more than 1EB memory",
        "Tried to allocate ,,,", "Tried to allocate 1e300 GiB", "allocating 5 MiB of patience"}) {
    EXPECT_EQ(requested_bytes(line).value, 0) << line;
  }
  EXPECT_EQ(requested_bytes("Tried to allocate 1024.00 KiB.").value, 1 << 20);
  EXPECT_EQ(requested_bytes("you tried to allocate 12 bytes. Error").value, 12);
  EXPECT_EQ(requested_bytes("Tried to allocate 3 TB").value, std::int64_t{3} << 40);
}

}  // namespace
}  // namespace sweepd::command
