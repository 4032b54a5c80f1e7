// Questions about a finished plan, and which columns the figures of each source have.
#include <algorithm>

#include "db/query/plan.h"

namespace sweepd {

const PlannedFilter* QueryPlan::filter(Common column) const {
  for (const PlannedFilter& filter : filters) {
    if (filter.column == ColumnRef(column)) return &filter;
  }
  return nullptr;
}

bool QueryPlan::has_dimension(Common column) const {
  return std::any_of(dimensions.begin(), dimensions.end(),
                     [column](const PlannedDimension& d) { return d.column == ColumnRef(column); });
}

bool decided_by_figures(const ColumnRef& column) {
  const auto* common = std::get_if<Common>(&column);
  return common != nullptr &&
         (*common == Common::kPhase || *common == Common::kMetric || *common == Common::kStep ||
          *common == Common::kRank || *common >= Common::kFact);
}

bool has_column(FigureSource source, Common column) {
  const auto one_of = [column](std::initializer_list<Common> columns) {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  };
  if (column == Common::kMetric) return true;
  switch (source) {
    case FigureSource::kSummary:
    case FigureSource::kSample:
      return one_of({Common::kPhase, Common::kStep, Common::kRank});
    case FigureSource::kMemory:
      return one_of({Common::kPhase, Common::kRank});
    case FigureSource::kFigure:
      return one_of({Common::kFigure});
    case FigureSource::kFact:
      return one_of({Common::kFact, Common::kRank});
    case FigureSource::kKernel:
      return one_of({Common::kPhase, Common::kRank, Common::kKernel, Common::kClass, Common::kRange,
                     Common::kGrid, Common::kBlock});
    case FigureSource::kOperator:
      return one_of({Common::kPhase, Common::kRank, Common::kOperator, Common::kRange});
    case FigureSource::kAllocation:
      return one_of(
          {Common::kPhase, Common::kRank, Common::kRange, Common::kAllocation, Common::kOrigin});
    case FigureSource::kSteadiness:
      return one_of({Common::kPhase});
  }
  return false;
}

}  // namespace sweepd
