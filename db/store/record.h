// Each function stores one part of an AttemptRecord in its tables. Called inside the transaction of
// `finish`. If a worker wrote several values for one key, the last one is stored: a broken worker
// must not make its attempt impossible to store.
#pragma once

#include <span>
#include <vector>

#include "db/connection.h"
#include "db/names.h"
#include "db/store.h"

namespace sweepd {

// Returns the row of the host that the environment names, or `host` if it names none.
std::int64_t insert_environment(Connection& connection, std::int64_t attempt,
                                const Environment& environment, std::int64_t host);
void insert_states(Connection& connection, std::int64_t attempt,
                   const std::vector<DeviceState>& states);
void insert_work(Connection& connection, Names& names, std::int64_t attempt, std::int64_t trial,
                 const WorkPerStep& work);
void insert_samples(Connection& connection, Names& names, std::int64_t attempt,
                    std::span<const Sample> samples);
void insert_summaries(Connection& connection, Names& names, std::int64_t attempt,
                      const std::vector<Summary>& summaries);
void insert_memory(Connection& connection, Names& names, std::int64_t attempt,
                   const std::vector<PhaseMemory>& memory);
void insert_held_memory(Connection& connection, Names& names, std::int64_t attempt,
                        const std::vector<HeldMemory>& held);
void insert_allocations(Connection& connection, Names& names, std::int64_t attempt,
                        const std::vector<Allocation>& allocations);
void insert_timeline(Connection& connection, Names& names, std::int64_t attempt,
                     const std::vector<MemoryPoint>& timeline);
// Stores each kernel with its short name and class (runner/model/kernel_class.h).
void insert_kernels(Connection& connection, Names& names, std::int64_t attempt,
                    const std::vector<KernelStats>& kernels);
void insert_operators(Connection& connection, Names& names, std::int64_t attempt,
                      const std::vector<OperatorStats>& operators);
void insert_facts(Connection& connection, Names& names, std::int64_t attempt,
                  const std::vector<AttemptRecord::Fact>& facts);

}  // namespace sweepd
