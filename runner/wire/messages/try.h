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
    std::string attempt_folder;
    static void visit(auto& self, auto&& field) {
      field("text", self.text, "YAML", Required());
      field("file", self.file, "for messages");
      field("set", self.set, "as for `submit`");
      field("folder", self.folder, "as for `submit`", IsPath());
      field("environment", self.environment, "as for `submit`");
      field("attempt_folder", self.attempt_folder,
            "of the caller, an absolute path; `request.json` of the first trial is written there",
            Required(), IsPath());
    }
  };
  struct Reply {
    std::string worker, sweep, trial, secrets;
    std::int64_t trials = 0;
    std::vector<std::string> warnings = {};
    static void visit(auto& self, auto&& field) {
      field("worker", self.worker, "the program that runs it: `--run FOLDER`");
      field("sweep", self.sweep, "its name");
      field("trial", self.trial, "what it measures, in words");
      field("secrets", self.secrets, "the file of secrets");
      field("trials", self.trials, "of the sweep; nothing is stored or queued");
      field("warnings", self.warnings, "as of `plan`");
    }
  };
};

}  // namespace sweepd::rpc
