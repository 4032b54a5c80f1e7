// A study as a document: prose with its figures filled in, and tables, as markdown.
#pragma once

#include <string>
#include <vector>

#include "runner/client/study/jobs.h"

namespace sweepd {

struct DocumentChapter {
  std::string title;
  std::string markdown;  // without the title
};

struct StudyDocument {
  std::string title;
  std::string introduction;  // markdown
  std::vector<DocumentChapter> chapters;
  // What is not there, each with its place: "study.yaml:12:5: no figure for ...". The document says
  // so at that place too.
  std::vector<std::string> missing;
};

// Asks for every table and figure. `jobs` have their sweeps; a part whose sweeps were not submitted
// is missing.
Result<StudyDocument> write_document(Client& client, const StudySource& source,
                                     const std::vector<StudyJob>& jobs);

// The last chapter: the machine, and the commands that measure everything again.
Result<DocumentChapter> how_measured(Client& client, const StudySource& source,
                                     const std::vector<StudyJob>& jobs);

std::string to_markdown(const StudyDocument& document);

}  // namespace sweepd
