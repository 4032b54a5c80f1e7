// The methods that change the queue, and the news of a watched sweep.
#pragma once

#include "runner/model/sweep/submitted_sweep.h"
#include "runner/wire/messages/rows.h"

namespace sweepd::rpc {

struct Submit {
  static constexpr std::string_view kName = "submit";
  struct Request {
    std::string text, file = "<request>";
    std::vector<std::string> set;
    bool check = false, set_where_it_fits = false;
    std::string reuse = "same";
    std::string folder;
    std::string notify = {};
    std::vector<std::string> environment;
    static void visit(auto& self, auto&& field) {
      field("text", self.text, "YAML", Required());
      field("file", self.file, "for messages");
      field("set", self.set, "`[\"name=v1,v2\"]`");
      field("check", self.check, "only look for mistakes; `sweeps` is empty");
      field("set_where_it_fits", self.set_where_it_fits,
            "a name in `set` that no sweep of the file has is no mistake");
      field("reuse", self.reuse,
            "results from before that count: `same`, of the same code and machine; `any`; `none`");
      field("folder", self.folder,
            "of the file, an absolute path: a program's words may name files in it", IsPath());
      field("environment", self.environment,
            "`[\"NAME=value\"]` of the submitter, for programs (schemas/sweep.md, \"Where it "
            "runs\")");
      field("notify", self.notify,
            "a command for /bin/sh that the daemon runs when a sweep of the text has ended");
    }
  };
  struct Reply {
    std::vector<SubmittedSweep> sweeps;
    std::vector<std::string> unfit;
    static void visit(auto& self, auto&& field) {
      field("sweeps", self.sweeps, "");
      field("unfit", self.unfit, "names in `set` that no sweep of the file has");
    }
  };
};

struct Cancel {
  static constexpr std::string_view kName = "cancel";
  struct Request {
    std::string sweep;
    static void visit(auto& self, auto&& field) { field("sweep", self.sweep, "", Required()); }
  };
  struct Reply {
    std::string sweep, name;
    std::int64_t cancelled = 0, stopping = 0;
    static void visit(auto& self, auto&& field) {
      field("sweep", self.sweep, "its id");
      field("name", self.name, "");
      field("cancelled", self.cancelled,
            "queued attempts that were ended, or wait in a cluster and are taken back");
      field("stopping", self.stopping, "running attempts");
    }
  };
};

struct Retry {
  static constexpr std::string_view kName = "retry";
  struct Request {
    std::string sweep;
    std::vector<std::string> which;
    bool insist = false;
    static void visit(auto& self, auto&& field) {
      field("sweep", self.sweep, "", Required());
      field("which", self.which, "outcomes or verdicts; all but `done` without it");
      field("insist", self.insist, "also trials that killed their workers three times");
    }
  };
  struct Reply {
    std::string sweep, name;
    std::int64_t queued = 0;
    bool paused = false;
    std::int64_t left_out = 0;
    std::string left_out_because = {};
    static void visit(auto& self, auto&& field) {
      field("sweep", self.sweep, "its id");
      field("name", self.name, "");
      field("queued", self.queued, "attempts");
      field("left_out", self.left_out,
            "attempts that are `skipped`: their trials killed their workers");
      field("left_out_because", self.left_out_because, "of the first of them");
      field("paused", self.paused, "the sweep is, so they wait");
    }
  };
};

struct Reread {
  static constexpr std::string_view kName = "reread";
  struct Request {
    std::string sweep;
    static void visit(auto& self, auto&& field) { field("sweep", self.sweep, "", Required()); }
  };
  struct Reply {
    std::string sweep, name;
    std::int64_t read = 0, same = 0, left = 0;
    std::string why_left = {};
    static void visit(auto& self, auto&& field) {
      field("sweep", self.sweep, "its id");
      field("name", self.name, "");
      field("read", self.read, "attempts whose output was read again");
      field("same", self.same, "attempts that were read so already");
      field("left", self.left, "attempts that keep their figures, because of a mistake");
      field("why_left", self.why_left, "of the first of them");
    }
  };
};

struct Watch {
  static constexpr std::string_view kName = "watch";
  static constexpr std::int64_t kMostPast = 1000;
  struct Request {
    std::string sweep;
    std::int64_t past = 20;
    static void visit(auto& self, auto&& field) {
      field("sweep", self.sweep, kNamesASweep);
      field("past", self.past,
            "how many problems from before the first notification has; 1,000 at most");
    }
  };
  struct Reply {
    SweepRow sweep;
    static void visit(auto& self, auto&& field) {
      field("sweep", self.sweep, "`progress` notifications follow until it has ended");
    }
  };
};

// The `params` of a notification.
struct Progress {
  static constexpr std::string_view kName = "progress";
  static constexpr std::string_view kTitle = "`progress`";
  std::string sweep;
  AttemptCounts counts;
  std::vector<RunningAttempt> running;
  std::vector<GivenAttempt> given;
  std::vector<EndedAttempt> ended;
  std::optional<Duration> left;
  std::string trouble;
  std::vector<std::string> paused_devices;
  std::vector<OutOfServiceEntry> out_of_service;
  bool paused = false, over = false;
  static void visit(auto& self, auto&& field) {
    field("sweep", self.sweep, "its id");
    field("counts", self.counts, "of attempts");
    field("running", self.running, "");
    field("given", self.given, "");
    field("left_ns", self.left, "the time that the sweep still needs", OrNull());
    field("ended", self.ended,
          "since the last notification; in the first, the last problems from before");
    field("trouble", self.trouble, "as in `status`");
    field("paused", self.paused, "the sweep starts nothing new until it is resumed");
    field("paused_devices", self.paused_devices, "as in `status`");
    field("out_of_service", self.out_of_service, "as in `status`");
    field("over", self.over, "true in the last");
  }
};

// The `params` of a notification to all watchers.
struct Stopping {
  static constexpr std::string_view kName = "stopping";
  static constexpr std::string_view kTitle = "`stopping`";
  bool now = false;
  static void visit(auto& self, auto&& field) {
    field("now", self.now, "the daemon stops at once; else after the running attempts");
  }
};

}  // namespace sweepd::rpc
