#include "db/store/record.h"

#include <cmath>

#include "runner/model/kernel_class.h"

namespace sweepd {
namespace {

// 0 means "unknown" for work. A formula that returns NaN or infinity must not make its attempt
// impossible to store.
double known_or_zero(double value) {
  return std::isfinite(value) ? value : 0;
}

}  // namespace

void insert_work(Connection& connection, Names& names, std::int64_t attempt, std::int64_t trial,
                 const WorkPerStep& work) {
  Query(connection, "INSERT OR REPLACE INTO work (attempt, arithmetic, tokens) VALUES (?, ?, ?)")
      .bind_all(attempt, work.arithmetic, known_or_zero(work.tokens))
      .run();
  for (const PhaseWork& phase : work.phases) {
    Query(connection,
          "INSERT OR REPLACE INTO phase_work (attempt, phase, flops, bytes) VALUES (?, ?, ?, ?)")
        .bind_all(attempt, names.id(phase.phase), known_or_zero(phase.flops),
                  known_or_zero(phase.bytes))
        .run();
  }
  Query insert(connection,
               "INSERT OR REPLACE INTO figure (trial, name, value, formula) VALUES (?, ?, ?, ?)");
  for (const Figure& figure : work.figures) {
    // Formulas may contain the trial's own numbers, so a cache of them would grow with the trials.
    insert.bind_all(trial, names.id(figure.name), figure.value, names.uncached_id(figure.formula));
    insert.run();
  }
}

void insert_samples(Connection& connection, Names& names, std::int64_t attempt,
                    std::span<const Sample> samples) {
  Query insert(connection,
               "INSERT OR REPLACE INTO sample (attempt, metric, phase, rank, step, warmup, value) "
               "VALUES (?, ?, ?, ?, ?, ?, ?)");
  for (const Sample& sample : samples) {
    insert.bind_all(attempt, names.id(sample.metric), names.id(sample.phase), sample.rank,
                    sample.step, sample.warmup ? 1 : 0, sample.value);
    insert.run();
  }
}

void insert_summaries(Connection& connection, Names& names, std::int64_t attempt,
                      const std::vector<Summary>& summaries) {
  Query insert(connection,
               "INSERT OR REPLACE INTO summary (attempt, metric, phase, n, mean, std, min, p05, "
               "median, p95, max, mad) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const Summary& summary : summaries) {
    const Stats& s = summary.stats;
    insert.bind_all(attempt, names.id(summary.metric), names.id(summary.phase), s.n, s.mean, s.std,
                    s.min, s.p05, s.median, s.p95, s.max, s.mad);
    insert.run();
  }
}

void insert_kernels(Connection& connection, Names& names, std::int64_t attempt,
                    const std::vector<KernelStats>& kernels) {
  Query insert(connection,
               "INSERT OR REPLACE INTO kernel (attempt, rank, phase, range, kernel, short_name, "
               "class, grid_x, grid_y, grid_z, block_x, block_y, block_z, calls, total_ns, "
               "mean_ns, median_ns, min_ns, max_ns, std_ns) "
               "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const KernelStats& k : kernels) {
    insert.bind_all(attempt, k.rank, names.id(k.phase), names.id(k.range), names.id(k.name),
                    names.id(short_kernel_name(k.name)),
                    names.id(std::string(name_of(class_of(k.name, k.phase)))), k.grid[0], k.grid[1],
                    k.grid[2], k.block[0], k.block[1], k.block[2], k.calls);
    insert.bind_all(k.total_ns, k.mean_ns, k.median_ns, k.min_ns, k.max_ns, k.std_ns);
    insert.run();
  }
}

void insert_operators(Connection& connection, Names& names, std::int64_t attempt,
                      const std::vector<OperatorStats>& operators) {
  Query insert(connection,
               "INSERT OR REPLACE INTO operator (attempt, rank, phase, range, operator, calls, "
               "self_cpu_ns, total_cpu_ns, self_device_ns, total_device_ns) "
               "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const OperatorStats& o : operators) {
    insert.bind_all(attempt, o.rank, names.id(o.phase), names.id(o.range), names.id(o.name),
                    o.calls, o.self_cpu_ns, o.total_cpu_ns, o.self_device_ns, o.total_device_ns);
    insert.run();
  }
}

void insert_facts(Connection& connection, Names& names, std::int64_t attempt,
                  const std::vector<AttemptRecord::Fact>& facts) {
  Query insert(connection,
               "INSERT OR REPLACE INTO fact (attempt, rank, name, number, text) "
               "VALUES (?, ?, ?, ?, ?)");
  for (const AttemptRecord::Fact& fact : facts) {
    insert.bind_all(attempt, fact.rank, names.id(fact.name), fact.number, fact.text);
    insert.run();
  }
}

}  // namespace sweepd
