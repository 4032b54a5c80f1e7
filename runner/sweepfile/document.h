// Reads one YAML document into one sweep.
#pragma once

#include "runner/model/catalog.h"
#include "runner/sweepfile/draft.h"
#include "runner/sweepfile/load.h"
#include "runner/sweepfile/program.h"
#include "runner/sweepfile/reporter.h"

namespace sweepd::sweepfile {

// The draft is complete only if nothing was reported. Adds the document's program to `programs`.
Draft read_document(Reporter& report, const Catalog& catalog, FilePrograms& programs,
                    const SweepsInFile& in_file, const Document& document);

// Returns what the documents say of their names and workloads, without looking for mistakes.
SweepsInFile sweeps_in(const std::vector<Document>& documents);

}  // namespace sweepd::sweepfile
