// A study as a document: prose with its figures filled in, tables and plots.
#pragma once

#include <string>
#include <vector>

#include "runner/client/document/document.h"
#include "runner/client/document/sweep_results.h"
#include "runner/client/study/jobs.h"

namespace sweepd {

struct StudyDocument {
  Document document;
  // Missing parts, each with its place: "study.yaml:12:5: no figure for ...". The document says
  // so at that place too.
  std::vector<std::string> missing;
};

// The short form has one table a question, without plots, in at most some lines.
enum class StudyForm { kLong, kShort };

// Reads every table, plot and figure. `jobs` have their sweeps; a part whose sweeps were not
// submitted is missing.
Result<StudyDocument> write_document(Client& client, const StudySource& source,
                                     const std::vector<StudyJob>& jobs, WhichResults which,
                                     StudyForm form);

// The last chapter: the machines, the unfinished attempts, and the command that measures everything
// again.
Result<DocumentChapter> how_measured(Client& client, const StudySource& source,
                                     const std::vector<StudyJob>& jobs, WhichResults which,
                                     StudyForm form);

}  // namespace sweepd
