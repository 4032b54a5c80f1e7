// Questions about a finished plan, and which columns the figures of each source have.
#include <algorithm>

#include "db/query/planning/plan.h"
#include "runner/model/vocabulary/result_column.h"

namespace sweepd {

const PlannedFilter* QueryPlan::filter(ResultColumn column) const {
  for (const PlannedFilter& filter : filters) {
    if (filter.column == ColumnRef(column)) return &filter;
  }
  return nullptr;
}

bool QueryPlan::has_dimension(ResultColumn column) const {
  return std::any_of(dimensions.begin(), dimensions.end(),
                     [column](const PlannedDimension& d) { return d.column == ColumnRef(column); });
}

bool decided_by_figures(const ColumnRef& column) {
  const auto* common = std::get_if<ResultColumn>(&column);
  return common != nullptr && (*common == ResultColumn::kPhase ||
                               *common == ResultColumn::kMetric || *common == ResultColumn::kStep ||
                               *common == ResultColumn::kRank || *common >= ResultColumn::kFact);
}

bool has_column(FigureSource source, ResultColumn column) {
  const auto one_of = [column](std::initializer_list<ResultColumn> columns) {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  };
  if (column == ResultColumn::kMetric) return true;
  switch (source) {
    case FigureSource::kSummary:
    case FigureSource::kSample:
      return one_of({ResultColumn::kPhase, ResultColumn::kStep, ResultColumn::kRank});
    case FigureSource::kMemory:
      return one_of({ResultColumn::kPhase, ResultColumn::kRank});
    case FigureSource::kFigure:
      return one_of({ResultColumn::kFigure});
    case FigureSource::kFact:
      return one_of({ResultColumn::kFact, ResultColumn::kRank});
    case FigureSource::kKernel:
      return one_of({ResultColumn::kPhase, ResultColumn::kRank, ResultColumn::kKernel,
                     ResultColumn::kClass, ResultColumn::kRange, ResultColumn::kGrid,
                     ResultColumn::kBlock});
    case FigureSource::kOperator:
      return one_of({ResultColumn::kPhase, ResultColumn::kRank, ResultColumn::kOperator,
                     ResultColumn::kRange});
    case FigureSource::kAllocation:
      return one_of({ResultColumn::kPhase, ResultColumn::kRank, ResultColumn::kRange,
                     ResultColumn::kAllocation, ResultColumn::kOrigin});
    case FigureSource::kSteadiness:
      return one_of({ResultColumn::kPhase});
  }
  return false;
}

}  // namespace sweepd
