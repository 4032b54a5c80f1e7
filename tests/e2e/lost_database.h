// A state folder that has lost its database, and the contents of databases, to compare them.
#pragma once

#include <string>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {

// Nine timings and memory passes of `noop`, with tables.
inline constexpr auto kLostTimes = R"(sweep: times
workload: noop
passes: [timing, memory]
params: {steps: 12, warmup: 2, repeats: 2}
matrix: {seed: [1, 2, 3]}
tables:
  - {title: Times, rows: [seed], columns: [repeat], cell: "{median:.4f} ± {std:.4f}", unit: us, where: {phase: step}}
  - {title: Memory, rows: [seed], cell: "{max}", metric: peak_allocated_bytes, where: {phase: step}}
)";

// Attempts that end as `done`, `oom`, `crashed` and `timeout`.
inline constexpr auto kLostEndings = R"(sweep: endings
workload: fault
params: {steps: 2, warmup: 0, timeout: 5s}
matrix: {kind: [done, oom, crash, hang]}
tables:
  - {title: Endings, rows: [kind], cell: "{n}"}
)";

// A model, with its kernels, operators and allocations. Needs the worker with LibTorch.
inline constexpr auto kLostModel = R"(sweep: model
workload: lm_step
passes: [timing, memory, profile]
params: {model: tiny, context: 32, batch: 2, mode: train_step, steps: 2, warmup: 1}
)";

// Stops the daemon and waits for its end.
void stop(const Sandbox& box);
// Removes the files of the database.
void lose_database(const Sandbox& box);

// Every row of every table as text, sorted and without the numbers of rows, which depend on the
// order of insertion.
std::string all_rows(const Sandbox& box);

// How many samples there are, and their values in order.
std::string samples_of(const Sandbox& box);

std::string content_of(const std::filesystem::path& file);

}  // namespace sweepd::e2e
