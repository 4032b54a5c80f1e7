// The part that all tests share: parsing literal text against the hand-written catalog.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "runner/sweepfile/sweep/sweepfile.h"
#include "tests/sweepfile/catalog.h"

namespace sweepd::test {

inline const std::string kHead = "sweep: a\nworkload: lm_step\n";

// {"model=tiny", "context=64,128"} as the command line gives them.
inline std::vector<Override> overrides_of(const std::vector<std::string>& sets) {
  std::vector<Override> overrides;
  for (const std::string& set : sets) {
    const std::size_t equal = set.find('=');
    overrides.push_back({set.substr(0, equal), set.substr(equal + 1)});
  }
  return overrides;
}

inline Parsed parse(std::string_view text, const std::vector<std::string>& sets = {}) {
  return parse_sweeps(text, "f.yaml", catalog(), overrides_of(sets));
}

// Returns all messages as a user reads them; "" if there are none. They begin with a newline, so
// that literals can begin on a separate line.
inline std::string errors(std::string_view text, const std::vector<std::string>& sets = {}) {
  const Parsed parsed = parse(text, sets);
  EXPECT_EQ(parsed.errors.empty(), !parsed.sweeps.empty());
  return parsed.errors.empty() ? "" : "\n" + render(parsed.errors);
}

// Returns only the messages, each as "line:column message".
inline std::vector<std::string> messages(std::string_view text,
                                         const std::vector<std::string>& sets = {}) {
  std::vector<std::string> found;
  for (const Diagnostic& d : parse(text, sets).errors) {
    found.push_back(std::to_string(d.line) + ":" + std::to_string(d.column) + " " + d.message);
  }
  return found;
}

inline Sweep one(std::string_view text, const std::vector<std::string>& sets = {}) {
  Parsed parsed = parse(text, sets);
  EXPECT_EQ(render(parsed.errors), "");
  EXPECT_EQ(parsed.sweeps.size(), 1U);
  return parsed.sweeps.empty() ? Sweep{} : parsed.sweeps.front();
}

inline const WorkloadDef& def_of(const Sweep& sweep) {
  return *catalog().find(sweep.workload);
}

inline std::vector<std::string> labels(const Sweep& sweep) {
  std::vector<std::string> found;
  for (const ExpandedTrial& trial : expand(sweep, def_of(sweep)).trials) {
    found.push_back(label_of(def_of(sweep), trial.trial));
  }
  return found;
}

inline std::vector<std::string> labels(std::string_view text,
                                       const std::vector<std::string>& sets = {}) {
  return labels(one(text, sets));
}

}  // namespace sweepd::test
