// Reads one YAML document into one sweep.
#pragma once

#include "runner/model/catalog.h"
#include "runner/sweepfile/draft.h"
#include "runner/sweepfile/load.h"
#include "runner/sweepfile/program.h"
#include "runner/sweepfile/reporter.h"

namespace sweepd::spec {

// The draft is complete only if nothing was reported. Adds the document's program to `programs`.
Draft read_document(Reporter& report, const Catalog& catalog, FilePrograms& programs,
                    const Document& document);

}  // namespace sweepd::spec
