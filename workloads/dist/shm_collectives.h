// The `shm` backend: ranks of one host talk through shared memory (workloads/dist/shm/group.h says
// how), CPU tensors of fp32, fp64, fp16, bf16, int32 and int64. `empty` gives tensors that all
// ranks see, which all_reduce sums where they lie; they count as any tensor's memory does, and may
// outlive the collectives.
//
// One thread of each rank moves the data, however many the rank has.
#pragma once

#include <memory>

#include "workloads/dist/collectives.h"

namespace sweepd {

// The ranks find each other by the file `shm.address` in the attempt's folder, which is gone again
// once they have. Throws std::invalid_argument for a device that is no CPU.
std::unique_ptr<Collectives> make_shm_collectives(Context& context);

}  // namespace sweepd
