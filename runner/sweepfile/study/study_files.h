// What a study says about sweep files: overrides, and titles of their tables
// and plots.
#pragma once

#include <string>
#include <vector>

#include "runner/sweepfile/study/study.h"
#include "runner/sweepfile/yaml/reporter.h"

namespace sweepd::sweepfile {

struct StudySet {
  Override override;
  Mark mark;
};
struct StudyTitle {
  std::string text;
  Mark mark;
};

// What a part of the study says about its file.
struct StudyFile {
  Mark mark;  // of the file's name
  std::vector<StudySet> set;
  std::vector<StudyTitle> tables, plots, short_tables;
};

// A study while it is being read.
struct StudyDraft {
  Study study;
  std::vector<std::vector<StudyFile>> files;  // by chapter and part
  std::vector<StudySet> set;                  // of the scale, for the files that have the parameter
};

// Reads `{model: tiny, context: [64, 128]}`.
std::vector<StudySet> read_settings(Reporter& report, const Node& map);

// Reads the sweep files that `read` has, completes the study's parts with what they are, and
// reports what does not fit them. Returns the names of all files.
std::vector<std::string> check_files(Reporter& report, const Catalog& catalog,
                                     const ReadSweeps& read, StudyDraft& draft);

}  // namespace sweepd::sweepfile
