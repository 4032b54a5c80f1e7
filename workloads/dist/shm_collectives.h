// The `shm` backend: ranks of one host communicate through shared memory (described in
// workloads/dist/shm/group.h), with CPU tensors of fp32, fp64, fp16, bf16, int32 and int64. `empty`
// returns tensors that all ranks can access, which all_reduce sums in place. They count like any
// tensor's memory, and may outlive the collectives.
//
// One thread of each rank moves the data, independent of the rank's number of threads.
#pragma once

#include <memory>

#include "workloads/torch/collectives.h"

namespace sweepd {

// The ranks find each other through the file `shm.address` in the attempt's folder, which is
// removed once they have. Throws std::invalid_argument if the device is not a CPU.
std::unique_ptr<Collectives> make_shm_collectives(Context& context);

}  // namespace sweepd
