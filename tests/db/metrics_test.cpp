// Every known metric can be read.
#include "db/query/planning/metrics.h"

#include <gtest/gtest.h>

namespace sweepd {
namespace {

TEST(Metrics, EachThatIsNoSampleHasItsSql) {
  for (const KnownMetric& metric : known_metrics()) {
    EXPECT_EQ(sql_of_metric(metric).empty(), metric.source == FigureSource::kSummary)
        << metric.name;
  }
}

}  // namespace
}  // namespace sweepd
