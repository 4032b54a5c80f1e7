// Shared by the handlers that compare runs: the results that they need.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/query/query.h"
#include "runner/base/result.h"

namespace sweepd {

// Reads "2%" or "0.02", a share between 0 and 1, both excluded. Errors name `member`.
Result<double> share_from(std::string_view member, const std::string& text);

struct WhichTimes {
  std::string workload, sweep, metric, phase;
  std::vector<std::string> where;
  bool newest = false;  // as QuerySpec::newest
};

// A query in which every parameter that may distinguish points is a row, and so is the host.
Result<QuerySpec> comparable_results(Reader& reader, const Catalog& catalog,
                                     const WhichTimes& times);

// The results of `sweepctl noise` for the workload on the hosts of the results: a sentence for each
// of at most three trials. Empty if they cannot be read.
std::vector<std::string> noise_notes(Reader& reader, const QuerySpec& query,
                                     const ResultSet& results);

}  // namespace sweepd
