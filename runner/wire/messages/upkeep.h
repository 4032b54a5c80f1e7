// The methods for upkeep: the disk use of the results, a backup, and deletion.
#pragma once

#include "runner/wire/messages/rows.h"

namespace sweepd::rpc {

struct Delete {
  static constexpr std::string_view kName = "delete";
  struct Request {
    std::vector<std::string> sweeps;
    std::int64_t older_ns = 0, keep_last = 0;
    bool dry_run = false;
    static void visit(auto& self, auto&& field) {
      field("sweeps", self.sweeps, "each a name (its latest sweep), id or beginning of an id");
      field("older_ns", self.older_ns, "instead of `sweeps`: all that were submitted longer ago",
            Limits{.least = 0});
      field("keep_last", self.keep_last,
            "instead of `sweeps`: all but so many of each name; together with `older_ns`, those to "
            "which both apply",
            Limits{.least = 0});
      field("dry_run", self.dry_run, "only count");
    }
  };
  struct Reply {
    std::vector<SweepRow> sweeps, open;
    std::int64_t trials = 0, attempts = 0, samples = 0, trials_kept = 0;
    std::int64_t folders = 0, folders_left = 0;
    std::string why_left;
    static void visit(auto& self, auto&& field) {
      field("sweeps", self.sweeps, "that were deleted, as they were before");
      field("open", self.open, "left out of `older_ns` and `keep_last`, since they have not ended");
      field("trials", self.trials, "that only these sweeps had; deleted");
      field("attempts", self.attempts, "of these trials");
      field("samples", self.samples, "of these attempts");
      field("trials_kept", self.trials_kept, "because another sweep has them");
      field("folders", self.folders, "of attempts that were removed from the disk");
      field("folders_left", self.folders_left, "that could not be removed");
      field("why_left", self.why_left, "what the system said of the first of them");
    }
  };
};

struct Usage {
  static constexpr std::string_view kName = "usage";
  struct Request {
    static void visit(auto&, auto&&) {}
  };
  struct Reply {
    Table sweeps, database;
    static void visit(auto& self, auto&& field) {
      field("sweeps", self.sweeps, "disk use of each sweep, the largest first");
      field("database", self.database, "parts of the database");
    }
  };
};

struct Compact {
  static constexpr std::string_view kName = "compact";
  static constexpr std::int64_t kAsConfigured = -1;
  struct Request {
    std::int64_t older_ns = kAsConfigured;
    bool dry_run = false;
    static void visit(auto& self, auto&& field) {
      field("older_ns", self.older_ns,
            "of attempts that ended as `done` longer ago; -1: as the configuration says",
            Limits{.least = kAsConfigured});
      field("dry_run", self.dry_run, "only count");
    }
  };
  struct Reply {
    std::int64_t older_ns = 0, folders = 0, before_bytes = 0, after_bytes = 0, folders_left = 0;
    std::string why_left;
    bool stopped = false;
    static void visit(auto& self, auto&& field) {
      field("older_ns", self.older_ns, "that applied");
      field("folders", self.folders, "of attempts that were compacted, or would be");
      field("before_bytes", self.before_bytes, "their earlier disk use");
      field("after_bytes", self.after_bytes, "their present disk use; 0 if they were only counted");
      field("folders_left", self.folders_left, "that could not be compacted");
      field("why_left", self.why_left, "what the system said of the first of them");
      field("stopped", self.stopped, "before the end, because an attempt began");
    }
  };
};

struct Backup {
  static constexpr std::string_view kName = "backup";
  struct Request {
    std::string file;
    bool replace = false;
    static void visit(auto& self, auto&& field) {
      field("file", self.file, "absolute path of the copy", Required(), IsPath());
      field("replace", self.replace, "an existing file");
    }
  };
  struct Reply {
    std::int64_t size_bytes = 0, sweeps = 0, attempts = 0;
    static void visit(auto& self, auto&& field) {
      field("size_bytes", self.size_bytes, "of the copy");
      field("sweeps", self.sweeps, "in the copy");
      field("attempts", self.attempts, "in the copy");
    }
  };
};

}  // namespace sweepd::rpc
