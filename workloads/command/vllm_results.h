// The results of vLLM's benchmarks and of its engine as steps, by the names of vllm_report.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/command/program_report.h"

namespace sweepd::command {

inline constexpr std::string_view kVllm = "vllm";

// Whether the user chose this number, by its name in JSON or what is printed before the colon.
bool is_vllm_setting(std::string_view name);
// Whether it is a figure by these names, and not by default.
bool is_vllm_figure(std::string_view name);
// "Acceptance rate (%)" is "acceptance_rate".
std::string label_name(std::string_view label);

// The figures of one result. A second one of the same name does not count.
class VllmResult {
 public:
  bool empty() const { return samples_.empty(); }
  void add(std::string phase, std::string metric, double value);
  // By its name in JSON or what is printed before the colon.
  void add(std::string_view name, double value);
  double of(std::string_view metric) const;  // of the step; 0 if there is none
  std::vector<Sample> take();

 private:
  std::vector<Sample> samples_;
  std::set<std::pair<std::string, std::string>> known_;
};

class VllmReports {
 public:
  void add_fact(const std::string& name, std::optional<double> number, std::string text);
  void add_time(double ms);
  void add(VllmResult& result);                 // and empties it
  void add_mean() { has_means_ = true; }        // the result is one
  void add_engine_line(std::string_view line);  // which has "Avg prompt throughput"
  // Throws like refuse_report if there are none.
  std::vector<Report> finish();

 private:
  void add_step(std::vector<Sample> samples);

  std::vector<Report> reports_;
  std::vector<std::string> warnings_;
  std::map<std::string, std::int64_t> engine_steps_;  // by phase
  std::int64_t next_step_ = 0;
  bool has_steps_ = false, has_means_ = false;
};

}  // namespace sweepd::command
