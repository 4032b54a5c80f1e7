#include "runner/worker/worker_main.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "build_info.h"
#include "runner/base/files.h"
#include "runner/base/host.h"
#include "runner/wire/catalog_json.h"
#include "runner/wire/json_text.h"
#include "runner/wire/rank_pidfile.h"
#include "runner/worker/forks/serve_forks.h"
#include "runner/worker/forks/serve_job.h"
#include "runner/worker/journal/log.h"
#include "runner/worker/plugins/plugin_workload.h"
#include "runner/worker/print_work.h"

namespace sweepd {
namespace {

constexpr std::string_view kHelp =
    "sweep-worker: runs one rank of one attempt. sweepd starts it; run it by hand only to debug.\n"
    "\n"
    "  sweep-worker --describe             print the catalog of workloads as JSON\n"
    "  sweep-worker --run ATTEMPT_FOLDER   run its request.json, as rank $RANK (or 0)\n"
    "  sweep-worker --work                 print the work per step of the trials on stdin, by "
    "formula, as JSON\n"
    "  sweep-worker --plugin               keep or describe the plugin that a line of JSON on "
    "stdin "
    "names\n"
    "  sweep-worker --serve                fork such runs on request over a socket of sweepd on "
    "stdin\n"
    "  sweep-worker --serve-job JOB_FOLDER RUNS   the same in a job of a Slurm pool, whose pilot "
    "asks "
    "on stdin\n"
    "  sweep-worker --version\n"
    "  sweep-worker --help\n"
    "\n"
    "Example: repeats an attempt that sweepd has run, in a copy of its folder:\n"
    "  mkdir /tmp/again && cp ~/.local/state/sweepd/runs/ATTEMPT/request.json /tmp/again &&\n"
    "  sweep-worker --run /tmp/again\n"
    "\n"
    "Exit code 0 whenever the `end` event was written, whatever the outcome; 2 for a wrong "
    "command\n"
    "line, 74 when the event file cannot be written.\n";

std::optional<int> rank_from_environment() {
  const char* text = std::getenv("RANK");
  if (text == nullptr) return 0;
  int rank = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, rank);
  if (error != std::errc{} || stop != end || rank < 0) {
    fmt::print(stderr, "sweep-worker: RANK is `{}`; expected a rank, from 0\n", text);
    return std::nullopt;
  }
  return rank;
}

int run(const char* folder, const WorkerParts& parts) {
  // The rank's place if sweepd started it; its child programs must not inherit it.
  ::fcntl(kPidfileFd, F_SETFD, FD_CLOEXEC);
  const auto rank = rank_from_environment();
  return rank ? run_attempt(folder, *rank, parts) : kExitUsage;
}

int run_forked(const std::filesystem::path& folder, int rank, const WorkerParts& parts) {
  log_line("forked from the preloaded worker {}", ::getppid());
  return run_attempt(folder, rank, parts);
}

int serve(const WorkerParts& parts) {
  read_host();  // once, for all forks
  const auto job = serve_forks(STDIN_FILENO);
  return job ? run_forked(job->folder, job->rank, parts) : kExitOk;
}

int serve_a_job(const char* job, const char* runs, const WorkerParts& parts) {
  read_host();  // once, for all forks
  const auto folder = serve_job(job, runs);
  return folder ? run_forked(*folder, 0, parts) : kExitOk;
}

int answer_about_plugin() {
  const auto question = read_all(STDIN_FILENO);
  if (!question) return kExitIo;
  fmt::print("{}\n", plugin_line(*question));
  return kExitOk;
}

}  // namespace

int worker_main(int argc, char** argv, const WorkerParts& parts) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "--run" && argc == 3) return run(argv[2], parts);
  if (verb == "--serve" && argc == 2) return serve(parts);
  if (verb == "--serve-job" && argc == 4) return serve_a_job(argv[2], argv[3], parts);
  if (verb == "--describe" && argc == 2) {
    fmt::print("{}\n", to_indented_json(to_json(parts.registry.catalog())));
    return kExitOk;
  }
  if (verb == "--work" && argc == 2) {
    return print_work(parts.registry, stdin, stdout) ? kExitOk : kExitIo;
  }
  if (verb == "--plugin" && argc == 2) return answer_about_plugin();
  if (verb == "--version" && argc == 2) {
    fmt::print("sweep-worker {}\n", kVersionText);
    return kExitOk;
  }
  const bool asked = verb == "--help" && argc == 2;
  fmt::print(asked ? stdout : stderr, "{}", kHelp);
  return asked ? kExitOk : kExitUsage;
}

}  // namespace sweepd
