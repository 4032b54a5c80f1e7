#include "db/query/state.h"

namespace sweepd {

Result<std::map<AttemptId, WhatRan>> Reader::what_ran(const std::vector<AttemptId>& attempts) {
  using All = std::map<AttemptId, WhatRan>;
  return state_->ask("reading what ran", [&]() -> Result<All> {
    All all;
    Query query(state_->connection,
                "SELECT coalesce(d.name, ''), coalesce(e.code, ''), coalesce(e.build_commit, ''), "
                "coalesce(e.torch_version, ''), coalesce(ad.driver, '') FROM attempt a "
                "LEFT JOIN environment e ON e.id = a.environment "
                "LEFT JOIN attempt_device ad ON ad.attempt = a.row AND ad.rank = 0 "
                "LEFT JOIN device d ON d.id = ad.device WHERE a.uid = ?");
    for (const AttemptId& attempt : attempts) {
      query.rewind();
      query.bind(attempt);
      if (!query.next()) continue;
      WhatRan& ran = all[attempt];
      for (std::size_t i = 0; i < ran.size(); ++i) ran[i] = query.text(static_cast<int>(i));
    }
    return all;
  });
}

}  // namespace sweepd
