// Pilots with a scripted Slurm, and a clock that the test moves.
#pragma once

#include <gmock/gmock.h>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "runner/exec/pilot/pilots.h"
#include "runner/exec/slurm/slurm_manager.h"
#include "tests/exec/scratch.h"
#include "tests/exec/scripted_shell.h"

namespace sweepd {

class PilotsTest : public Scratch {
 protected:
  PilotsTest() {
    settings_.pool.name = "cluster";
    settings_.pool.runs = runs_;
    std::filesystem::create_directory(runs_);
    settings_.pool.slurm.emplace();
    settings_.pool.slurm->poll = milliseconds(1);
    settings_.pool.slurm->max_jobs = 4;
    settings_.worker = "/worker";
    settings_.owner = "test";
    settings_.prefork = Prefork::kNo;
    make();
  }
  void make() {
    slurm_.emplace(settings_, shell_);
    pilots_.emplace(settings_, *slurm_, now_);
  }
  AttemptId start(AttemptId id = random_id(), std::size_t ranks = 1) {
    const AttemptFolder folder = folder_of(id);
    AttemptRequest request;
    request.attempt = id;
    request.workload = "noop";
    request.params = {{"device", "cpu"}, {"timeout", "1m"}};
    request.lease.ranks.resize(ranks);
    std::filesystem::create_directory(folder.path());
    EXPECT_TRUE(write_request(folder.request(), request));
    pilots_->start(folder, request, now_);
    return id;
  }
  AttemptFolder folder_of(const AttemptId& id) const { return AttemptFolder(runs_ / id); }
  std::vector<AttemptId> start_several(int count) {
    std::vector<AttemptId> ids;
    for (int i = 0; i < count; ++i) ids.push_back(start());
    go();
    return ids;
  }
  // Until all commands are answered and processed. Returns the events, as one line each.
  std::vector<std::string> go() {
    std::vector<std::string> told;
    for (int i = 0; i < 5; ++i) {
      now_ = now_ + seconds(1);
      pilots_->tick(now_);
      shell_.answer();
      for (const ExecutorEvent& event : pilots_->take_events()) told.push_back(text_of(event));
    }
    return told;
  }
  static std::string text_of(const ExecutorEvent& event) {
    if (const auto* lost = std::get_if<AttemptLost>(&event)) {
      return lost->attempt +
             (lost->again ? " again: " + lost->what : ": " + describe(lost->ending));
    }
    if (const auto* started = std::get_if<AttemptStarted>(&event))
      return started->attempt + " runs";
    if (const auto* ended = std::get_if<RankEnded>(&event)) {
      return ended->attempt + " exits with " + std::to_string(ended->exit.code.value_or(-1));
    }
    if (const auto* over = std::get_if<AttemptOver>(&event)) return over->attempt + " is over";
    if (const auto* refused = std::get_if<AttemptNotStarted>(&event)) {
      return refused->attempt + " refused: " + refused->error.message;
    }
    return "something else";
  }
  std::string job_of(const AttemptId& id) const { return pilots_->places().at(id).allocation.id; }

  // A job has an attempt, whose rank has begun.
  AttemptId run_one() {
    const AttemptId id = start();
    go();
    shell_.report(1, "0 idle");
    go();
    write("runs/jobs/test-cluster/" + shell_.folder(1).filename().string() + "/run.1/began.0",
          "1795502281.5 node1 1.0\n");
    shell_.report(1, "1 runs");
    EXPECT_THAT(go(), testing::ElementsAre(id + " runs"));
    return id;
  }
  // The next daemon comes, and finds the runs' folder not mounted.
  void restart_without_runs() {
    std::filesystem::rename(runs_, away_);
    make();
  }
  void expect_unseen(const AttemptId& id) {
    const Adoption found = pilots_->adopt(folder_of(id), id, now_);
    EXPECT_TRUE(found.waits);
    EXPECT_FALSE(found.incomplete);
    const int submitted = shell_.submitted();
    EXPECT_THAT(go(), testing::IsEmpty());
    EXPECT_EQ(shell_.submitted(), submitted);
    EXPECT_THAT(pilots_->trouble(),
                testing::MatchesRegex("pool `cluster`: cannot read the folder " + runs_.string() +
                                      "/jobs: No such file or directory; until .* an "
                                      "attempt that an earlier daemon gave to it is unknown.*"));
  }

  const std::filesystem::path runs_ = root_ / "runs", away_ = root_ / "away";
  PilotSettings settings_;
  ScriptedShell shell_;
  std::optional<SlurmManager> slurm_;
  Instant now_ = now_instant();
  std::optional<Pilots> pilots_;
};

}  // namespace sweepd
