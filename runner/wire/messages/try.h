// The method behind `sweepctl try`.
#pragma once

#include "runner/wire/message.h"

namespace sweepd::rpc {

struct Try {
  static constexpr std::string_view kName = "try";
  struct Request {
    std::string text, file = "<request>";
    std::vector<std::string> set;
    std::string folder;
    std::vector<std::string> environment;
    static void visit(auto& self, auto&& field) {
      field("text", self.text, "YAML", Required());
      field("file", self.file, "for messages");
      field("set", self.set, "as for `submit`");
      field("folder", self.folder, "as for `submit`", IsPath());
      field("environment", self.environment, "as for `submit`");
    }
  };
  // The complete input of `sweepd --try` for the first trial, passed on unchanged.
  struct Reply {
    std::string sweep, trial;
    std::int64_t trials = 0;
    std::vector<std::string> warnings = {}, notes = {};
    std::string worker = {};
    std::vector<std::string> environment = {}, requests = {};
    static void visit(auto& self, auto&& field) {
      field("sweep", self.sweep, "its name");
      field("trial", self.trial, "what it measures, in words");
      field("trials", self.trials, "of the sweep; nothing is stored or queued");
      field("warnings", self.warnings, "as of `plan`");
      field("notes", self.notes, "what else could be measured");
      field("worker", self.worker, "the program that runs it: `--run FOLDER`");
      field("environment", self.environment, "`NAME=value`: what the daemon's attempts inherit");
      field("requests", self.requests,
            "the text of `request.json` of each pass, with the lease that it gets when nothing "
            "else runs");
    }
  };
};

}  // namespace sweepd::rpc
