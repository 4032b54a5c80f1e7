// Ranks as threads of the test. Their collectives are plain loops over each other's tensors: slow,
// obvious, and strict about mistakes on which real ones only hang.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "workloads/torch/collectives.h"

namespace sweepd {

// Runs `body` as each of `world_size` ranks at once, rank 0 on the calling thread. Returns their
// exceptions, by rank ("": none), after all have ended. A rank that throws breaks the others'
// calls, which throw too. Ranks that do not make the same call, with the same size and type, throw
// std::logic_error.
std::vector<std::string> run_threads(int world_size, const std::function<void(Collectives&)>& body);

// Does the same, and any exception of a rank fails the test.
void expect_threads(int world_size, const std::function<void(Collectives&)>& body);

}  // namespace sweepd
