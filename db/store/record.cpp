#include "db/store/record.h"

#include <cmath>

#include "db/base/record_rows.h"

namespace sweepd {
namespace {

// 0 means "unknown" for work. A formula's NaN or infinity must not prevent its attempt from being
// stored.
double known_or_zero(double value) {
  return std::isfinite(value) ? value : 0;
}

// The records with their places among all of them.
template <class Records>
Records numbered(Records records) {
  std::int64_t position = 0;
  for (auto& record : records) record.position = position++;
  return records;
}

}  // namespace

void insert_work(Connection& connection, Names& names, std::int64_t attempt, std::int64_t trial,
                 const WorkPerStep& work) {
  Query(connection, "INSERT OR REPLACE INTO work (attempt, arithmetic, tokens) VALUES (?, ?, ?)")
      .bind_all(attempt, work.arithmetic, known_or_zero(work.tokens))
      .run();
  std::vector<PhaseWork> phases = work.phases;
  for (PhaseWork& phase : phases) {
    phase.flops = known_or_zero(phase.flops);
    phase.bytes = known_or_zero(phase.bytes);
    phase.recomputed_flops = known_or_zero(phase.recomputed_flops);
  }
  insert_rows(connection, names, "attempt", attempt, phases);
  insert_rows(connection, names, "trial", trial, numbered(work.figures));
}

void insert_samples(Connection& connection, Names& names, std::int64_t attempt,
                    std::span<const Sample> samples) {
  insert_rows(connection, names, "attempt", attempt, samples);
}

void insert_measured(Connection& connection, Names& names, const AttemptRecord& record) {
  const auto insert = [&](const auto& rows) {
    insert_rows(connection, names, "attempt", record.row, rows);
  };
  const bool of_environment = record.states.empty() && record.environment;
  insert(of_environment ? record.environment->states : record.states);
  insert(record.summaries);
  insert(record.memory);
  insert(record.held_memory);
  insert(record.allocations);
  insert(record.timeline);
  insert(record.kernels);
  insert(record.operators);
  insert(numbered(record.facts));
}

}  // namespace sweepd
