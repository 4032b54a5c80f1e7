#include "runner/exec/slurm/slurm_manager.h"

#include <utility>

#include "runner/exec/slurm/pilot_script.h"
#include "runner/exec/slurm/sbatch.h"

namespace sweepd {
namespace {

Error no_answer(const Said& said) {
  return {ErrorCode::kUnavailable, last_line(said.text)};
}

SubmitAnswer read_answer(const Said& said) {
  if (said.ok()) {
    if (const auto number = parse_sbatch(said.text)) return {*number};
  }
  if (said.ok() || said.exit < 0 || is_unreachable(said.text)) {
    return {0, NotSubmitted::kUnknown, last_line(said.text)};
  }
  const NotSubmitted why = is_refused_for_good(said.text) ? NotSubmitted::kForGood
                           : is_too_large(said.text)      ? NotSubmitted::kTooLarge
                                                          : NotSubmitted::kForNow;
  return {0, why, "sbatch refused: " + one_line(said.text)};
}

}  // namespace

SlurmManager::SlurmManager(PilotSettings settings, SideShell::Deliver deliver)
    : settings_(std::move(settings)),
      pool_(*settings_.pool.slurm),
      own_shell_(std::make_unique<SideShell>(settings_.commands, settings_.timing.command_limit,
                                             std::move(deliver))),
      shell_(*own_shell_) {}

SlurmManager::SlurmManager(PilotSettings settings, Shell& shell)
    : settings_(std::move(settings)), pool_(*settings_.pool.slurm), shell_(shell) {}

void SlurmManager::submit(const JobFolder& folder, std::int64_t nodes, Done<SubmitAnswer> done) {
  shell_.run(sbatch_command(pool_, folder, nodes),
             [done = std::move(done)](const Said& said) { done(read_answer(said)); });
}

void SlurmManager::list(Done<Result<std::vector<QueuedJob>>> done) {
  shell_.run({"squeue", "--me", "--noheader", kSqueueFormat},
             [done = std::move(done)](const Said& said) {
               if (!said.ok()) return done(no_answer(said));
               done(parse_squeue(said.text));
             });
}

// A job that has just ended cannot be cancelled, which is as good.
void SlurmManager::cancel(std::int64_t number, Done<Result<void>> done) {
  shell_.run({"scancel", std::to_string(number)}, [done = std::move(done)](const Said& said) {
    const bool heard = said.ok() || !is_unreachable(said.text);
    done(heard ? Result<void>() : no_answer(said));
  });
}

void SlurmManager::explain(std::int64_t number, Done<Result<std::optional<EndedJob>>> done) {
  shell_.run({"scontrol", "--oneliner", "show", "job", std::to_string(number)},
             [done = std::move(done)](const Said& said) {
               if (!said.ok() && is_unreachable(said.text)) return done(no_answer(said));
               const EndedJob end = said.ok() ? parse_scontrol_job(said.text) : EndedJob{};
               done(has_ended(end) ? std::optional(end) : std::nullopt);
             });
}

std::string SlurmManager::script(const JobFolder& folder) const {
  return pilot_script(settings_, folder.path());
}

Said SlurmManager::ask(const std::vector<std::string>& command) const {
  return run_command(settings_.commands, command, settings_.timing.command_limit);
}

Result<std::vector<PoolNodes>> SlurmManager::nodes() {
  std::vector<std::string> command{"sinfo", "--noheader", kSinfoFormat};
  if (!pool_.partition.empty()) command.push_back("--partition=" + pool_.partition);
  const Said said = ask(command);
  if (!said.ok()) return Error{ErrorCode::kUnavailable, one_line(said.text)};
  std::vector<PoolNodes> nodes = parse_sinfo(said.text);
  if (nodes.empty() && !pool_.partition.empty()) {
    return Error{ErrorCode::kNotFound,
                 "Slurm has no partition `" + pool_.partition + "` with nodes"};
  }
  return nodes;
}

Result<void> SlurmManager::estimate(std::int64_t nodes, PoolEstimate& estimate) {
  std::vector<std::string> command{"sbatch", "--test-only"};
  for (std::string& option : allocation_options(pool_, nodes)) {
    command.push_back(std::move(option));
  }
  command.emplace_back("--wrap=true");
  const auto said =
      test_only_.ask(command, now_instant(), [this](const auto& asked) { return ask(asked); });
  if (!said) {
    return Error{ErrorCode::kUnavailable,
                 "not asked, since Slurm was asked " + std::to_string(TestOnly::kMost) +
                     " times in the last " + to_text(TestOnly::kRemembered)};
  }
  if (said->ok()) {
    estimate.starts = parse_estimate(said->text);
  } else if (is_too_large(said->text)) {
    estimate.never = one_line(said->text);
  } else {
    return Error{ErrorCode::kUnavailable, one_line(said->text)};
  }
  return {};
}

}  // namespace sweepd
