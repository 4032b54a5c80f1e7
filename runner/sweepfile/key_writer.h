// Writes trial keys for many trials of one workload that differ in a few parameters. Gives the
// result of key_of(def, trial) without formatting and sorting every parameter again. A property
// test compares the two.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runner/model/trial.h"

namespace sweepd::sweepfile {

class KeyWriter {
 public:
  explicit KeyWriter(const WorkloadDef& def);

  // Returns `|name=value` as the key hashes it, or "" for a default and for scheduling parameters.
  std::string part_of(std::size_t param, const Value& value) const;

  void set(std::size_t param, const std::string& part) { parts_[rank_[param]] = part; }
  void set_all(const Trial& trial);
  TrialKey key();

 private:
  const WorkloadDef& def_;
  std::string prefix_;
  std::vector<std::size_t> rank_;   // each parameter's position in the key's alphabetical order
  std::vector<std::string> parts_;  // by rank
  std::string text_;                // reused
};

}  // namespace sweepd::sweepfile
