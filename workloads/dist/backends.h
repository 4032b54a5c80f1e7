// The backends of make_collectives. Each joins the other ranks of `context`'s attempt, of which
// there are at least two (for NCCL at least one), and returns when all have joined. A backend
// neither notes nor checks anything; make_collectives wraps it with checks.
#pragma once

#include <memory>
#include <string_view>

#include "workloads/torch/collectives.h"

namespace sweepd {

using MakeBackend = std::unique_ptr<Collectives> (*)(Context&);

// For a backend in a plugin: `shm`, which all_reduce.so adds while it loads.
void add_backend(std::string_view name, MakeBackend make);

// Throws std::invalid_argument if no backend has the name.
MakeBackend backend_named(std::string_view name);

// c10d's ProcessGroupGloo over the loopback interface. The ranks find each other through the file
// `rendezvous` in the attempt's folder. CPU tensors.
std::unique_ptr<Collectives> make_gloo_collectives(Context& context);

// NCCL from libsweep_cuda.so; every rank has its own GPU. CUDA tensors, on the current stream.
std::unique_ptr<Collectives> make_nccl_collectives(Context& context);

}  // namespace sweepd
