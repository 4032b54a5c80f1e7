// Reads one YAML document into one sweep.
#pragma once

#include "runner/model/catalog.h"
#include "runner/spec/draft.h"
#include "runner/spec/load.h"
#include "runner/spec/reporter.h"

namespace sweepd::spec {

// The draft is complete only if nothing was reported.
Draft read_document(Reporter& report, const Catalog& catalog, const Document& document);

}  // namespace sweepd::spec
