// How programs say that memory is not enough. Pure.
#pragma once

#include <string_view>

#include "runner/base/units.h"

namespace sweepd::command {

// Whether the line says that an allocation failed, in the words of PyTorch (CUDA, HIP, XPU, MPS,
// CPU), XLA, TensorFlow, cuBLAS, NCCL, CuPy, Numba, ggml, vLLM, Python, C++, Rust, Go, Java, Julia
// and R, of the C library, of Slurm or of the kernel. Lines that speak of it otherwise (a help
// text, a limit for locked memory, the shared memory of a kernel) do not.
bool says_out_of_memory(std::string_view line);

// Whether the line says that the program continues without the memory: "allocation failed,
// retrying".
bool says_memory_was_survived(std::string_view line);

// Reads how much was asked for: "Tried to allocate 2.50 GiB", "allocating 7338.64 MiB on device",
// "memory allocation of 1024 bytes failed". Decimal and binary prefixes mean powers of 1024, as
// those who print them compute. 0 if the line does not say it.
Bytes requested_bytes(std::string_view line);

}  // namespace sweepd::command
