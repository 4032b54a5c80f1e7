#include "db/query/partial_steps_reader.h"

namespace sweepd {

std::optional<PartialSteps> read_partial_steps(ReaderState& state, std::int64_t attempt) {
  Query query(
      state.connection,
      "SELECT s.n, s.mean, a.trial, t.workload FROM attempt a JOIN trial t ON t.id = a.trial "
      "JOIN summary s ON s.attempt = a.row "
      "WHERE a.row = ? AND a.pass = 'timing' AND a.outcome <> 'done' AND s.n > 0 AND "
      "s.metric = (SELECT id FROM name WHERE text = 'time') AND "
      "s.phase = (SELECT id FROM name WHERE text = 'step')");
  query.bind(attempt);
  if (!query.next()) return std::nullopt;
  const WorkloadDef* def = state.catalog.find(query.text(3));
  if (def == nullptr) return std::nullopt;
  const auto trial = ParamTable(state.connection, *def).read(query.integer(2));
  if (!trial || !def->index_of("steps")) return std::nullopt;
  PartialSteps steps{query.integer(0), trial->integer(*def, "steps"), false, query.real(1)};
  steps.at_least = trial->integer(*def, "min_time") > 0 ||
                   std::get<double>(trial->get(*def, "relative_error")) > 0;
  return steps;
}

}  // namespace sweepd
