// The daemon's allocator, jemalloc (docs/decisions/allocator.md).
#pragma once

namespace sweepd {

// From now on a thread of the allocator returns unused memory to the system, a second after it was
// freed. Call in the process that stays: a fork does not keep the thread. Does nothing in builds
// with another allocator.
void return_unused_memory();

}  // namespace sweepd
