#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "runner/base/printable.h"
#include "runner/base/say.h"
#include "runner/base/text.h"
#include "runner/base/trace_file.h"
#include "runner/client/commands/submitting.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"
#include "runner/client/watch/exit_message.h"
#include "runner/model/vocabulary/template_text.h"
#include "runner/trace/nsys.h"
#include "runner/wire/json_text.h"
#include "runner/wire/messages/queue.h"
#include "runner/wire/messages/results.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;
using trace::TraceKind;

struct ImportOptions {
  std::vector<std::string> files;
  std::string name, step = "all", format = "md";
  bool ranks = false;
};

// The files of one attempt, and how many ranks it has.
struct Job {
  std::vector<fs::path> files;
  std::size_t ranks = 1;
  int world_size = 0;  // of the job that it is of; 0: its files do not say
};

struct Jobs {
  std::vector<Job> all;
  bool has_traces = false, has_snapshots = false;
};

// An export of nsys has all processes of its job.
Result<Job> nsys_job(const fs::path& file) {
  const auto processes = trace::read_nsys(file);
  if (!processes) return processes.error();
  return Job{{file}, processes->size()};
}

// Traces of different ranks of as many are one job, and so are all with --ranks; any other is a job
// of its own, also each of several of the same rank. Snapshots belong to the first job.
Result<Jobs> jobs_of(const ImportOptions& options) {
  Jobs jobs;
  std::vector<fs::path> snapshots;
  struct Ranked {
    std::vector<fs::path> files;
    std::set<int> ranks;
  };
  std::map<int, Ranked> by_world_size;  // all in one with --ranks
  for (const std::string& named : options.files) {
    std::error_code error;
    const fs::path file = fs::absolute(named, error).lexically_normal();
    const auto kind = trace::kind_of_trace(file);
    if (!kind) return kind.error();
    if (*kind == TraceKind::kSnapshot) {
      snapshots.push_back(file);
    } else if (const auto rank = trace::rank_of_trace(file); options.ranks || rank) {
      Ranked& same = by_world_size[options.ranks ? 0 : rank->world_size];
      same.files.push_back(file);
      same.ranks.insert(rank ? rank->rank : -1);
    } else if (*kind == TraceKind::kNsys) {
      const auto job = nsys_job(file);
      if (!job) return job.error();
      jobs.all.push_back(*job);
    } else {
      jobs.all.push_back({{file}});
    }
  }
  for (const auto& [world_size, same] : by_world_size) {
    if (!options.ranks && same.ranks.size() == 1) {
      for (const fs::path& file : same.files) jobs.all.push_back({{file}, 1, world_size});
      continue;
    }
    if (const auto ordered = trace::in_order_of_ranks(same.files); !ordered) return ordered.error();
    jobs.all.insert(jobs.all.begin(), {same.files, same.files.size(), world_size});
  }
  jobs.has_traces = !jobs.all.empty();
  jobs.has_snapshots = !snapshots.empty();
  if (jobs.all.empty()) jobs.all.push_back({{}, snapshots.size()});
  Job& first = jobs.all.front();
  first.files.insert(first.files.end(), snapshots.begin(), snapshots.end());
  return jobs;
}

// A string of JSON is one of YAML.
std::string in_yaml(const std::string& text) {
  return to_json_line(nlohmann::json(text));
}

// A word of `files`. Captions show it, so one with spaces is quoted rather than escaped.
std::string word_of(const fs::path& file) {
  std::string text = file.string();
  const bool plain = text.find_first_of("'\"\\") == std::string::npos;
  return plain && text.find(' ') != std::string::npos ? "'" + text + "'" : as_word(text);
}

// A sweep's name from that of a file: `rank-0.Apr_03.pt.trace.json.gz` is `rank-0-Apr-03`.
std::string name_from(const fs::path& file) {
  std::string stem = file.filename().string();
  for (bool cut = true; cut;) {
    cut = false;
    for (const std::string_view end :
         {".gz", ".json", ".trace", ".pt", ".sqlite", ".pickle", ".nsys-rep"}) {
      if (stem.size() > end.size() && stem.ends_with(end)) {
        stem.resize(stem.size() - end.size());
        cut = true;
      }
    }
  }
  std::string name;
  for (const char c : stem) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (plain) name += c;
    if (!plain && !name.empty() && name.back() != '-') name += '-';
  }
  constexpr std::size_t kMost = 60;
  name.resize(std::min(name.size(), kMost));
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? "imported" : name;
}

std::string rows(bool several, std::string_view more) {
  std::string names = several ? "{files: Trace}" : "";
  if (!more.empty()) names += fmt::format("{}{}", names.empty() ? "" : ", ", more);
  return "[" + names + "]";
}

// A trace without marked steps is one step, from its first to its last work.
std::string trace_tables(bool several, bool has_ranks) {
  return fmt::format(
      R"(  - title: What bounds a step (means of the marked steps; without marks, of the whole recording)
    rows: {}
    values:
      - {{name: Steps, metric: fact.trace.steps, cell: "{{mean:.0f}}"}}
      - {{name: Step (ms), metric: fact.profile.step_ms, cell: "{{mean:.3f}}"}}
      - {{name: Device busy, metric: device_busy_share, cell: "{{mean:.1%}}"}}
      - {{name: Idle, metric: device_idle_time, cell: "{{mean:.3f}}"}}
      - {{name: Host late, metric: idle_host_time, cell: "{{mean:.3f}}"}}
      - {{name: Waiting, metric: idle_wait_time, cell: "{{mean:.3f}}"}}
      - {{name: Tail, metric: idle_tail_time, cell: "{{mean:.3f}}"}}
      - {{name: Unknown, metric: idle_unknown_time, cell: "{{mean:.3f}}"}}
      - {{name: Longest gap, metric: largest_gap_time, cell: "{{max:.3f}}"}}
      - {{name: Launches, metric: launches, cell: "{{mean:.0f}}"}}
      - {{name: One launch (us), metric: launch_median_time, unit: us, cell: "{{mean:.1f}}"}}
  - title: Kernels{}, totals of these steps
    rows: {}
    sort: [{}-Time]
    limit: 20
    values:
      - {{name: Time, metric: kernel_share, cell: "{{mean:.1%}}"}}
      - {{name: Total (ms), metric: kernel_time, cell: "{{mean:.3f}}"}}
      - {{name: Calls, metric: kernel_calls, cell: "{{mean:.0f}}"}}
      - {{name: Avg (us), metric: kernel_mean, unit: us, cell: "{{mean:.1f}}"}}
      - {{name: Min (us), metric: kernel_min, unit: us, cell: "{{mean:.1f}}"}}
      - {{name: Max (us), metric: kernel_max, unit: us, cell: "{{mean:.1f}}"}}
)",
      rows(several, "{rank: Rank}"), has_ranks ? " of rank 0" : "", rows(several, "{kernel: Name}"),
      several ? "files, " : "");
}

std::string snapshot_tables() {
  return R"(  - title: Memory
    rows: [{files: Snapshot}]
    unit: MiB
    values:
      - {name: Peak allocated, metric: peak_allocated_bytes, cell: "{mean:.2f}"}
      - {name: Peak reserved, metric: peak_reserved_bytes, cell: "{mean:.2f}"}
      - {name: At the end, metric: at_end_bytes, cell: "{mean:.2f}"}
)";
}

// The deepest folder that has all files. Their names below it are part of a trial; it is not.
fs::path common_folder(const Jobs& jobs) {
  fs::path folder = jobs.all.front().files.front().parent_path();
  for (const Job& job : jobs.all) {
    for (const fs::path& file : job.files) {
      const fs::path other = file.parent_path();
      const auto differ = std::mismatch(folder.begin(), folder.end(), other.begin(), other.end());
      fs::path common;
      for (auto part = folder.begin(); part != differ.first; ++part) common /= *part;
      folder = common;
    }
  }
  return folder;
}

std::string sweep_file(const ImportOptions& options, const Jobs& jobs, const fs::path& folder) {
  const std::string name =
      options.name.empty() ? name_from(jobs.all.front().files.front()) : options.name;
  std::vector<std::string> passes;
  if (jobs.has_traces) passes.emplace_back("profile");
  if (jobs.has_snapshots) passes.emplace_back("memory");
  std::vector<std::string> points;
  for (const Job& job : jobs.all) {
    std::vector<std::string> words;
    for (const fs::path& file : job.files) {
      words.push_back(word_of(file.lexically_relative(folder)));
    }
    points.push_back(
        fmt::format("  - {{files: {}, world_size: {}}}\n", in_yaml(join(words, " ")), job.ranks));
  }
  std::string text = fmt::format(
      "sweep: {}\ndescription: Imported by sweepctl import\nworkload: trace\npasses: [{}]\n"
      "params: {{step: {}}}\ninclude:\n{}tables:\n",
      in_yaml(name), join(passes, ", "), in_yaml(options.step), join(points, ""));
  const bool has_ranks =
      std::ranges::any_of(jobs.all, [](const Job& job) { return job.ranks > 1; });
  if (jobs.has_traces) text += trace_tables(jobs.all.size() > 1, has_ranks);
  if (jobs.has_snapshots) text += snapshot_tables();
  return text;
}

Exit import_files(Client& client, const ImportOptions& options) {
  const ExitMessage at_interrupt("the import goes on; see: sweepctl list");
  const auto jobs = jobs_of(options);
  if (!jobs) return report_error(jobs.error());
  for (const Job& job : jobs->all) {
    if (std::cmp_greater_equal(job.ranks, job.world_size)) continue;
    say(stderr, "{}: {} of {} ranks of its job\n", job.files.front().filename().string(), job.ranks,
        job.world_size);
  }
  SweepFile file;
  file.shown = "the import";
  file.folder = common_folder(*jobs).string();
  file.text = sweep_file(options, *jobs, file.folder);
  const auto ids = submit_files(client, {file}, {}, stderr);
  if (!ids) return report_error(ids.error());
  return watch_and_print(client, *ids, options.format, TablesOf::kResults);
}

}  // namespace

void add_import(Command& app, Client& client) {
  auto options = std::make_shared<ImportOptions>();
  Command* command =
      app.add_subcommand("import", "Store traces and memory snapshots of other tools as attempts");
  command
      ->add_option("FILE", options->files,
                   "traces of torch.profiler (JSON, also .gz), SQLite exports of nsys (nsys export "
                   "--type sqlite), memory snapshots of torch (.pickle)")
      ->required();
  command->add_option("--name", options->name, "the sweep's name [default: from the first file]");
  command->add_option("--step", options->step, "only this step of a trace, as the trace numbers it")
      ->capture_default_str();
  command->add_flag("--ranks", options->ranks,
                    "the traces are ranks of one job, in this order, though they do not say so");
  add_format_option(*command, options->format);
  command->footer(
      "Traces of different ranks of a job are one attempt; any other trace is its own.\n"
      "Then: sweepctl explain, show ATTEMPT --kernels, compare NAME --by files=A,B --kernels, "
      "query.\n"
      "Example: sweepctl import before.json.gz after.json.gz --name fused-adamw");
  command->callback([&client, options] {
    client.action = [&client, options] { return import_files(client, *options); };
  });
}

}  // namespace sweepd
