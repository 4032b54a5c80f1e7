#include "runner/daemon/allocator.h"

#include <cstddef>

// jemalloc's own control. Sanitizers have allocators without it.
extern "C" __attribute__((weak)) int mallctl(const char* name, void* old, std::size_t* old_size,
                                             void* value, std::size_t size);
// Read by jemalloc when the program starts.
extern "C" const char* malloc_conf;
const char* malloc_conf = "dirty_decay_ms:1000,muzzy_decay_ms:0";

namespace sweepd {

void return_unused_memory() {
  bool on = true;
  if (mallctl != nullptr) mallctl("background_thread", nullptr, nullptr, &on, sizeof on);
}

}  // namespace sweepd
