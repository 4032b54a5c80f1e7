// The contents of a study's file.
#pragma once

#include "runner/model/sweep/study.h"
#include "runner/wire/message.h"

namespace sweepd::rpc {

struct ReadStudy {
  static constexpr std::string_view kName = "study";
  struct Request {
    std::string text, file = "<request>", scale;
    std::vector<std::string> names, texts, folders;
    static void visit(auto& self, auto&& field) {
      field("text", self.text, "YAML", Required());
      field("file", self.file, "for messages");
      field("scale", self.scale, "the file's first without it");
      field("names", self.names, "of sweep files, as the study has them");
      field("texts", self.texts, "of these, in the same order");
      field("folders", self.folders, "of these, absolute, for plugins; [] if none names one");
    }
  };
  struct Reply {
    Study study;
    std::vector<std::string> files;
    static void visit(auto& self, auto&& field) {
      field("study", self.study, "complete once all `files` were given; nothing is queued");
      field("files", self.files, "of sweeps that it needs");
    }
  };
};

}  // namespace sweepd::rpc
