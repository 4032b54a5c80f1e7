// A Slurm that is only a queue, for cases that a real cluster cannot produce: nodes that do not
// boot, jobs that a test ends as it likes.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runner/exec/slurm/side_shell.h"

namespace sweepd {

class ScriptedShell final : public Shell {
 public:
  void run(std::vector<std::string> command, Done done) override {
    asked_.emplace_back(std::move(command), std::move(done));
  }
  // Answers the commands since the last call, in order.
  void answer() {
    for (const auto& [command, done] : std::exchange(asked_, {})) done(said_to(command));
  }

  // How a job that is in the queue ends: "JobState=BOOT_FAIL NodeList=node3".
  void end(int number, const std::string& how) {
    queue_.erase(number);
    ended_[number] = how;
  }
  // Its state in squeue from now on: RUNNING, SUSPENDED. Before, it is PENDING.
  void say(int number, const std::string& state) { states_[number] = state; }
  // Its script has run as far as to write this: "0 idle".
  void report(int number, const std::string& what) const {
    std::filesystem::create_directory(folders_.at(number) / "taken");
    std::ofstream(folders_.at(number) / "report")
        << what << " " << number << " node" << number << "\n";
  }
  const std::filesystem::path& folder(int number) const { return folders_.at(number); }
  int submitted() const { return submitted_; }  // as often as sbatch ran

  std::string refusal;           // of sbatch; "": it takes the job
  bool away = false;             // the controller
  bool deaf_to_scancel = false;  // it is away in that moment

 private:
  Said said_to(const std::vector<std::string>& command) {
    if (away || (deaf_to_scancel && command[0] == "scancel")) {
      return {1, "slurm error: Unable to contact slurm controller (connect failure)"};
    }
    if (command[0] == "sbatch") return submit(command);
    if (command[0] == "squeue") return queue();
    if (command[0] == "scancel") end(std::stoi(command.back()), "JobState=CANCELLED");
    if (command[0] != "scontrol") return {0, ""};
    const auto found = ended_.find(std::stoi(command.back()));
    if (found == ended_.end()) return {1, "slurm_load_jobs error: Invalid job id specified"};
    return {0, found->second};
  }
  Said submit(const std::vector<std::string>& command) {
    ++submitted_;
    if (!refusal.empty()) return {1, refusal};
    const int number = static_cast<int>(folders_.size()) + 1;
    folders_[number] = std::filesystem::path(command.back()).parent_path();
    queue_[number] = folders_[number].filename();
    return {0, std::to_string(number) + "\n"};
  }
  Said queue() const {
    std::string text;
    for (const auto& [number, name] : queue_) {
      const auto state = states_.find(number);
      text += std::to_string(number) + "|" + name + "|" +
              (state == states_.end() ? "PENDING" : state->second) + "|N/A|N/A||Resources\n";
    }
    return {0, text};
  }

  std::vector<std::pair<std::vector<std::string>, Done>> asked_;
  std::map<int, std::filesystem::path> folders_;  // of jobs, by their numbers
  std::map<int, std::string> queue_;              // names
  std::map<int, std::string> ended_;
  std::map<int, std::string> states_;
  int submitted_ = 0;
};

}  // namespace sweepd
