// A study as a document: prose with its figures filled in, tables and plots, as markdown.
#pragma once

#include <string>
#include <vector>

#include "runner/client/study/jobs.h"

namespace sweepd {

struct DocumentChapter {
  std::string title;
  std::string markdown;  // without the title
};

// A picture of a plot, which the markdown shows by its file's name.
struct DocumentPicture {
  std::string file;  // as seen from the document: "plots/precision-step-time.svg"
  std::string svg;
};

struct StudyDocument {
  std::string title;
  std::string introduction;  // markdown
  std::vector<DocumentChapter> chapters;
  std::vector<DocumentPicture> pictures;
  std::string no_pictures;  // why plots are text, or ""
  // What is not there, each with its place: "study.yaml:12:5: no figure for ...". The document says
  // so at that place too.
  std::vector<std::string> missing;
};

// Asks for every table, plot and figure. `jobs` have their sweeps; a part whose sweeps were not
// submitted is missing.
Result<StudyDocument> write_document(Client& client, const StudySource& source,
                                     const std::vector<StudyJob>& jobs);

// The last chapter: the machine, and the commands that measure everything again.
Result<DocumentChapter> how_measured(Client& client, const StudySource& source,
                                     const std::vector<StudyJob>& jobs);

std::string to_markdown(const StudyDocument& document);

}  // namespace sweepd
