// The `tables:` section. Cell templates are checked for their braces only: which names they may
// hold is the report layer's business (report::validate).
#pragma once

#include "runner/spec/draft.h"
#include "runner/spec/reporter.h"

namespace sweepd::spec {

void read_tables(Reporter& report, Draft& draft, const Node& section);

}  // namespace sweepd::spec
