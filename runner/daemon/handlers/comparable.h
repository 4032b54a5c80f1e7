// What the handlers that compare runs have in common: which results they need.
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

// A query in which every parameter that may tell points apart is a row, and so is the host.
Result<QuerySpec> comparable_results(Reader& reader, const Catalog& catalog,
                                     const WhichTimes& times);

// What `sweepctl noise` found for the workload on the hosts of the results: a sentence for each of
// its trials, for at most three. A failure to read says nothing.
std::vector<std::string> noise_notes(Reader& reader, const QuerySpec& query,
                                     const ResultSet& results);

}  // namespace sweepd
