// The program's outline for shells: verbs, their options, and the kinds of their words.
#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace sweepd {

struct Outline {
  struct Option {
    std::string name;  // "--format"
    std::string help;  // on one line
    bool has_value = false;
  };
  struct Verb {
    std::string name, help;
    std::vector<Option> options;
    std::string
        names;  // the kind of its first word: "sweeps", "workloads", or "" for files and others
  };
  std::vector<Option> options;  // of every verb
  std::vector<Verb> verbs;
  std::string formats;  // the words of --format
};

Outline outline_of(const CLI::App& app);

}  // namespace sweepd
