#include "db/query/partial_steps_reader.h"

namespace sweepd {

PartialStepsReader::PartialStepsReader(ReaderState& state)
    : state_(state),
      query_(
          state.connection,
          "SELECT s.n, s.mean, a.trial, t.workload FROM attempt a JOIN trial t ON t.id = a.trial "
          "JOIN summary s ON s.attempt = a.row "
          "WHERE a.row = ? AND a.pass = 'timing' AND a.outcome <> 'done' AND s.n > 0 AND "
          "s.metric = (SELECT id FROM name WHERE text = 'time') AND "
          "s.phase = (SELECT id FROM name WHERE text = 'step')") {}

std::optional<PartialSteps> PartialStepsReader::read(std::int64_t attempt) {
  query_.rewind();
  query_.bind(attempt);
  if (!query_.next()) return std::nullopt;
  const WorkloadDef* def = state_.catalog.find(query_.text(3));
  if (def == nullptr) return std::nullopt;
  auto [table, added] = params_.try_emplace(def->name, state_.connection, *def);
  const auto trial = table->second.read(query_.integer(2));
  if (!trial || !def->index_of("steps")) return std::nullopt;
  PartialSteps steps{query_.integer(0), trial->integer(*def, "steps"), false, query_.real(1)};
  steps.at_least = trial->integer(*def, "min_time") > 0 ||
                   std::get<double>(trial->get(*def, "relative_error")) > 0;
  return steps;
}

}  // namespace sweepd
