// The methods that read results. They also work on a database file without a daemon.
#pragma once

#include "runner/model/attempt/notification.h"
#include "runner/model/attempt/result_set.h"
#include "runner/model/measurement/memory_picture.h"
#include "runner/model/sweep/run_params.h"
#include "runner/model/vocabulary/catalog.h"
#include "runner/wire/catalog_json.h"
#include "runner/wire/messages/rows.h"
#include "runner/wire/query_json.h"

namespace sweepd {

inline Result<void> read_message(const nlohmann::json& value, QuerySpec& out) {
  auto query = query_from_json(value);
  if (!query) return query.error();
  out = std::move(*query);
  return {};
}
inline Result<void> read_message(const nlohmann::json& value, Catalog& out) {
  auto catalog = catalog_from_json(value);
  if (!catalog) return catalog.error();
  out = std::move(*catalog);
  return {};
}

namespace rpc {

struct List {
  static constexpr std::string_view kName = "list";
  struct Request {
    std::int64_t limit = 50;
    static void visit(auto& self, auto&& field) {
      field("limit", self.limit, "0 is all", Limits{.least = 0});
    }
  };
  struct Reply {
    std::vector<SweepRow> sweeps;
    static void visit(auto& self, auto&& field) { field("sweeps", self.sweeps, "newest first"); }
  };
};

struct Show {
  static constexpr std::string_view kName = "show";
  struct Request {
    std::string what;
    std::int64_t limit = 200;
    bool steps = false;
    static void visit(auto& self, auto&& field) {
      field("what", self.what, "sweep, trial or attempt; the latest sweep without it");
      field("limit", self.limit, "of a sweep's attempts; 0 is all", Limits{.least = 0});
      field("steps", self.steps, "an attempt's samples too");
    }
  };
  struct Reply {
    std::string kind;
    std::optional<SweepRow> sweep;
    std::optional<AttemptRow> attempt;
    std::optional<std::vector<AttemptRow>> attempts;
    std::optional<std::vector<Table>> tables;
    std::optional<std::string> source;
    std::optional<Notification> notification;
    static void visit(auto& self, auto&& field) {
      field("kind", self.kind, "`sweep`, `trial` or `attempt`");
      field("sweep", self.sweep, "");
      field("attempt", self.attempt, "");
      field("attempts", self.attempts, "of a sweep or trial");
      field("tables", self.tables, "of a trial or attempt");
      field("source", self.source, "a sweep's file");
      field("notification", self.notification, "of a sweep that has one");
    }
  };
};

struct Report {
  static constexpr std::string_view kName = "report";
  struct Request {
    std::string sweep, table;
    std::vector<std::string> with;
    bool newest = false;
    static void visit(auto& self, auto&& field) {
      field("sweep", self.sweep, kNamesASweep);
      field("table", self.table, "number from 1, title, or its beginning");
      field("with", self.with,
            "columns of their own: `n`, `attempts`, `verdict`, `outcome`, `attempt`");
      field("newest", self.newest, kNewestCounts);
    }
  };
  struct Reply {
    SweepRow sweep;
    std::vector<Table> tables;
    std::optional<std::vector<std::string>> plots;
    static void visit(auto& self, auto&& field) {
      field("sweep", self.sweep, "");
      field("tables", self.tables, "");
      field("plots", self.plots, "titles of those that the sweep declares");
    }
  };
};

struct Query {
  static constexpr std::string_view kName = "query";
  using Request = QuerySpec;
  struct Reply {
    Table table;
    static void visit(auto& self, auto&& field) { field("table", self.table, ""); }
  };
};

struct Compare {
  static constexpr std::string_view kName = "compare";
  struct Request {
    std::string a, b, by, workload;
    std::vector<std::string> where;
    std::string metric = "time", phase = "step", tolerance = "2%", confidence = "99%";
    std::string a_database, b_database;
    bool newest = false, kernels = false;
    static void visit(auto& self, auto&& field) {
      field("a", self.a, "a sweep");
      field("b", self.b, "another sweep, unless `by` is given");
      field("by", self.by, "`precision=fp32,bf16`: the two values of a parameter to compare");
      field("a_database", self.a_database,
            "absolute path of the database file that `a` is in, if it is another one", IsPath());
      field("b_database", self.b_database, "the same for `b`", IsPath());
      field("workload", self.workload, "all its results, if `a` names no sweep");
      field("where", self.where, "`[\"model=small,large\"]`");
      field("metric", self.metric, "a time");
      field("phase", self.phase, "");
      field("tolerance", self.tolerance, "a difference that is none, such as `2%` or `0.02`");
      field("confidence", self.confidence, "of the intervals, such as `99%`");
      field("newest", self.newest, kNewestCounts);
      field("kernels", self.kernels,
            "the kernels of the profiles instead of a metric: `metric` is `time`, `confidence` "
            "does not count");
    }
  };
  struct Reply {
    Table table;
    std::int64_t faster = 0, slower = 0, same = 0, unclear = 0;
    static void visit(auto& self, auto&& field) {
      field("table", self.table,
            "a row for each point; with `kernels` for each of the 20 kernels that differ most, "
            "one for the rest and one for all, and the counts are those of kernels");
      field("faster", self.faster, "points at which the second takes less time");
      field("slower", self.slower, "");
      field("same", self.same, "points that differ by less than the tolerance");
      field("unclear", self.unclear, "");
    }
  };
};

struct Kernels {
  static constexpr std::string_view kName = "kernels";
  struct Request {
    std::string attempt, by = "name", layout = "nsys", phase;
    int rank = 0;
    std::int64_t top = 0;
    static void visit(auto& self, auto&& field) {
      field("attempt", self.attempt,
            "its id, or a sweep with one profile; the latest sweep without it");
      field("by", self.by, "`name`, `launch`, `range`, `class`");
      field("layout", self.layout, "`nsys`, `pytorch`");
      field("phase", self.phase, "the whole step without it");
      field("rank", self.rank, "", Limits{.least = 0, .most = kMaxRanks - 1});
      field("top", self.top, "rows, the largest; 0 is all", Limits{.least = 0});
    }
  };
  struct Reply {
    AttemptRow attempt;
    std::vector<Table> tables;
    std::optional<std::string> trace;
    static void visit(auto& self, auto&& field) {
      field("attempt", self.attempt, "");
      field("tables", self.tables, "");
      field("trace", self.trace, "path of the Chrome trace");
    }
  };
};

struct Explain {
  static constexpr std::string_view kName = "explain";
  struct Request {
    std::string attempt;
    int rank = 0;
    static void visit(auto& self, auto&& field) {
      field("attempt", self.attempt,
            "its id, or a sweep with one profile; the latest sweep without it");
      field("rank", self.rank, "", Limits{.least = 0, .most = kMaxRanks - 1});
    }
  };
  struct Sentence {
    std::string rule, text;
    double share = 0;
    static void visit(auto& self, auto&& field) {
      field("rule", self.rule, "docs/WHY_SLOW.md");
      field("share", self.share, "of the step that it is about");
      field("text", self.text, "one sentence");
    }
  };
  struct Reply {
    AttemptRow attempt;
    std::string device;
    double step_ms = 0;
    std::vector<Sentence> sentences;
    static void visit(auto& self, auto&& field) {
      field("attempt", self.attempt, "of a profile pass");
      field("device", self.device, "its name; empty if it is unknown");
      field("step_ms", self.step_ms, "of the profiled step; 0 if it is unknown");
      field("sentences", self.sentences, "the largest share first; none if nothing stands out");
    }
  };
};

struct Memory {
  static constexpr std::string_view kName = "memory";
  struct Request {
    std::string what;
    static void visit(auto& self, auto&& field) {
      field("what", self.what, "attempt of a memory pass, or its trial", Required());
    }
  };
  struct Reply {
    std::string attempt;
    std::vector<MemoryPicture> pictures;
    std::vector<Table> tables;
    std::vector<std::string> snapshots;
    static void visit(auto& self, auto&& field) {
      field("attempt", self.attempt, "its id");
      field("pictures", self.pictures,
            "one a rank: `rank`, `subject`, `bands`, `points`, `by_event`: times are numbers of "
            "events");
      field("tables", self.tables, "");
      field("snapshots", self.snapshots, "paths");
    }
  };
};

struct Log {
  static constexpr std::string_view kName = "log";
  static constexpr std::int64_t kMaxBytes = 1 << 20;  // a longer text would not fit into a reply
  struct Request {
    std::string attempt;
    std::int64_t rank = 0;
    std::int64_t bytes = kMaxBytes;
    static void visit(auto& self, auto&& field) {
      field("attempt", self.attempt, "", Required());
      field("rank", self.rank, "", Limits{.least = 0, .most = kMaxRanks - 1});
      field("bytes", self.bytes, "at most 1 MiB", Limits{.least = 1});
    }
  };
  struct Reply {
    std::string attempt, path, text;
    std::int64_t skipped_bytes = 0;
    static void visit(auto& self, auto&& field) {
      field("attempt", self.attempt, "its id");
      field("path", self.path, "");
      field("text", self.text, "the end of the log");
      field("skipped_bytes", self.skipped_bytes, "before it");
    }
  };
};

struct Workloads {
  static constexpr std::string_view kName = "workloads";
  struct Request {
    std::string workload;
    static void visit(auto& self, auto&& field) {
      field("workload", self.workload, "all without it; or the absolute path of a plugin's file");
    }
  };
  using Reply = Catalog;
};

struct Doctor {
  static constexpr std::string_view kName = "doctor";
  struct Request {
    static void visit(auto&, auto&&) {}
  };
  struct Reply {
    std::string version, commit, database;
    Bytes database_size;
    bool whole = false;
    std::vector<std::string> problems;
    static void visit(auto& self, auto&& field) {
      field("version", self.version, "");
      field("commit", self.commit, "");
      field("database", self.database, "path");
      field("database_bytes", self.database_size, "");
      field("whole", self.whole, "false: the check did not finish within 10 s");
      field("problems", self.problems, "those that SQLite found; none if the file is sound");
    }
  };
};

}  // namespace rpc
}  // namespace sweepd
