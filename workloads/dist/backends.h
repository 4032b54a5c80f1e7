// The backends of make_collectives. Each joins the other ranks of `context`'s attempt, of which
// there are at least two (for NCCL at least one), and returns when all have joined. A backend
// neither notes nor checks anything; make_collectives wraps it with checks.
#pragma once

#include <memory>

#include "workloads/torch/collectives.h"

namespace sweepd {

// c10d's ProcessGroupGloo over the loopback interface. The ranks find each other through the file
// `rendezvous` in the attempt's folder. CPU tensors.
std::unique_ptr<Collectives> make_gloo_collectives(Context& context);

// NCCL from libsweep_cuda.so; every rank has its own GPU. CUDA tensors, on the current stream.
std::unique_ptr<Collectives> make_nccl_collectives(Context& context);

}  // namespace sweepd
