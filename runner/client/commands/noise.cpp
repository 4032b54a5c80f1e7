#include <fmt/format.h>

#include "runner/base/say.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"
#include "runner/client/session/sweep_file.h"
#include "runner/client/watch/exit_message.h"
#include "runner/client/watch/watching.h"
#include "runner/wire/messages/machine.h"

namespace sweepd {
namespace {

// What is measured without a file.
constexpr const char* kStandard = R"(sweep: noise-lm
description: Equal runs of a small training step
workload: lm_step
params: {model: tiny, mode: train_step, batch: 4, context: 64, warmup: 5, steps: 20}
---
sweep: noise-matmul
description: Equal runs of a small product of matrices
workload: matmul
params: {size: 512, warmup: 5, steps: 20}
)";

struct NoiseOptions {
  SweepFiles files;
  std::string sweep;
  std::int64_t processes = 200;
  rpc::Noise::Request request;
  std::string format = "text";
};

Result<std::vector<SweepFile>> files_to_measure(Client& client, const NoiseOptions& options) {
  std::vector<SweepFile> files;
  if (options.files.files.empty()) {
    files.push_back({"noise.yaml", kStandard, options.files.sets});
  } else {
    auto read = read_sweep_files(client, options.files);
    if (!read) return read.error();
    files = std::move(*read);
  }
  for (SweepFile& file : files) file.sets.push_back(fmt::format("repeats={}", options.processes));
  return files;
}

// Measures every point of the files anew and waits. Returns the ids of their sweeps.
Result<std::vector<std::string>> submit_all(Client& client, const std::vector<SweepFile>& files) {
  std::vector<std::string> ids;
  for (const SweepFile& file : files) {
    rpc::Submit::Request request = file.submit();
    request.reuse = "none";
    const auto reply = client.call<rpc::Submit>(request);
    if (!reply) return reply.error();
    for (const SubmittedSweep& sweep : reply->sweeps) {
      say(stderr, "sweep {} {}: {} attempts to run\n", short_id(sweep.id), sweep.name,
          sweep.attempts_queued);
      ids.push_back(sweep.id);
    }
  }
  return ids;
}

Exit noise(Client& client, const NoiseOptions& options) {
  const ExitMessage at_interrupt("queued attempts still run; see: sweepctl list");
  std::vector<std::string> sweeps;
  Exit worst = Exit::kOk;
  if (!options.sweep.empty()) {
    if (!options.files.files.empty() || !options.files.sets.empty()) {
      return report_error({ErrorCode::kInvalidArgument,
                           "--sweep uses existing results, so neither FILE nor --set is expected"});
    }
    sweeps.push_back(options.sweep);
  } else {
    const auto files = files_to_measure(client, options);
    if (!files) return report_error(files.error());
    auto ids = submit_all(client, *files);
    if (!ids) return report_error(ids.error());
    sweeps = std::move(*ids);
    for (const std::string& id : sweeps) {
      const Exit exit = watch_sweep(client, id);
      if (exit == Exit::kInterrupted) return exit;
      if (exit != Exit::kOk) worst = exit;
    }
  }
  for (const std::string& sweep : sweeps) {
    rpc::Noise::Request request = options.request;
    request.sweep = sweep;
    const auto reply = client.call<rpc::Noise>(request);
    if (!reply) return report_error(reply.error());
    const auto printed = print_table(reply->table, options.format);
    if (!printed) return report_error(printed.error());
  }
  return worst;
}

}  // namespace

void add_noise(Command& app, Client& client) {
  auto options = std::make_shared<NoiseOptions>();
  rpc::Noise::Request& request = options->request;
  Command* command = app.add_subcommand(
      "noise", "Measure the noise of this machine and the repeats that a comparison needs");
  command->add_option("FILE", options->files.files,
                      "sweep files whose points are measured; a small lm_step and a small matmul "
                      "without one");
  command->add_option("--set", options->files.sets,
                      "NAME=VALUE[,VALUE...]: replace a parameter or an axis");
  command->add_option("--processes", options->processes, "attempts of each point")
      ->capture_default_str();
  command->add_option("--sweep", options->sweep,
                      "measure nothing; use the repeats of this sweep (name or id)");
  command->add_option("--slowdown", request.slowdown, "the difference that must be found")
      ->capture_default_str();
  command->add_option("--metric", request.metric, "time, host_time or setup_time")
      ->capture_default_str();
  command->add_option("--phase", request.phase, "step, forward ...")->capture_default_str();
  command->add_option("--tolerance", request.tolerance, "as for compare")->capture_default_str();
  command->add_option("--confidence", request.confidence, "as for compare")->capture_default_str();
  add_format_option(*command, options->format);
  command->footer(
      "Example: sweepctl noise\n"
      "         sweepctl noise lm.yaml --set model=tiny --processes 60");
  command->callback([&client, options] {
    client.action = [&client, options] { return noise(client, *options); };
  });
}

}  // namespace sweepd
