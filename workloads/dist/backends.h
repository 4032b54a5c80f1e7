// The backends that make_collectives chooses from. Each joins the other ranks of `context`'s
// attempt, which are at least two (for NCCL at least one), and returns when all are there. What
// they give neither notes nor checks anything: make_collectives puts that in front
// (checked_collectives.h).
#pragma once

#include <memory>

#include "workloads/dist/collectives.h"

namespace sweepd {

// c10d's ProcessGroupGloo over the loopback interface; the ranks find each other by the file
// `rendezvous` in the attempt's folder. CPU tensors.
std::unique_ptr<Collectives> make_gloo_collectives(Context& context);

// NCCL from libsweep_cuda.so; every rank has a GPU of its own. CUDA tensors, on the current stream.
std::unique_ptr<Collectives> make_nccl_collectives(Context& context);

}  // namespace sweepd
