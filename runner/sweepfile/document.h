// Reads one YAML document into one sweep.
#pragma once

#include "runner/model/catalog.h"
#include "runner/sweepfile/draft.h"
#include "runner/sweepfile/load.h"
#include "runner/sweepfile/reporter.h"

namespace sweepd::spec {

// The draft is complete only if nothing was reported.
Draft read_document(Reporter& report, const Catalog& catalog, const Document& document);

}  // namespace sweepd::spec
