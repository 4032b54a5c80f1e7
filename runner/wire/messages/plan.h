// The plan of a sweep file: the effect of its submission.
#pragma once

#include "runner/model/sweep/sweep_plan.h"
#include "runner/wire/messages/rows.h"

namespace sweepd::rpc {

struct Plan {
  static constexpr std::string_view kName = "plan";
  struct Request {
    std::string text, file = "<request>";
    std::vector<std::string> set;
    bool all = false;
    std::int64_t limit = 5;
    std::string folder;
    std::vector<std::string> environment;
    static void visit(auto& self, auto&& field) {
      field("text", self.text, "YAML", Required());
      field("file", self.file, "for messages");
      field("set", self.set, "as for `submit`");
      field("all", self.all, "every trial, in `plan_rows` notifications before the reply");
      field("limit", self.limit, "rows of the reply", Limits{.least = 0});
      field("folder", self.folder, "as for `submit`", IsPath());
      field("environment", self.environment, "as for `submit`");
    }
  };
  struct Reply {
    std::vector<SweepPlan> sweeps;
    static void visit(auto& self, auto&& field) {
      field("sweeps", self.sweeps, "nothing is queued");
    }
  };
};

// The `params` of a notification.
struct PlanRows {
  static constexpr std::string_view kName = "plan_rows";
  static constexpr std::string_view kTitle = "`plan_rows`";
  std::int64_t sweep = 0;
  std::vector<PlannedTrial> rows;
  static void visit(auto& self, auto&& field) {
    field("sweep", self.sweep, "index in the reply's `sweeps`, from 0");
    field("rows", self.rows, "at most 10,000, in order");
  }
};

}  // namespace sweepd::rpc
