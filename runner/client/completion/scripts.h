// The completion scripts of shells. They are made from the parser's own verbs and options, so they
// cannot differ from the program.
#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace sweepd {

// The program's outline for shells: verbs, their options, and the kinds of their words.
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

std::string bash_script(const Outline& outline);
std::string zsh_script(const Outline& outline);
std::string fish_script(const Outline& outline);

// The script for `shell`, or "" for a shell without one.
std::string completion_script(const CLI::App& app, const std::string& shell);

}  // namespace sweepd
