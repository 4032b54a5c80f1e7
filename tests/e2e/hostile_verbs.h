// Every verb of sweepctl, in each form that prints foreign text.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/e2e/hostile_state.h"

namespace sweepd::e2e {

// The verbs that the program itself lists, and those of them that `--db` is for.
std::set<std::string> verbs_of_program(const Sandbox& box);
std::set<std::string> verbs_of_files(const Sandbox& box);

// Files with texts of a stranger, for the verbs that read one.
struct GivenFiles {
  std::string accepted, refused;  // sweep files
  std::string study, figures, config, trace;
};
GivenFiles write_given_files(const Sandbox& box, HostileTexts& texts);

// In this order: verbs that read, submit, change, delete, and `stop`. Files that verbs write are in
// `out`.
std::vector<Asked> ask_every_verb(const Known& known, const GivenFiles& given,
                                  const std::filesystem::path& out, HostileTexts& texts);

}  // namespace sweepd::e2e
