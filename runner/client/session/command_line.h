// The program's commands and their options, over CLI11. CLI11 is header-only, and compiling it
// takes longer than everything else in a command. So only the files that read CLI11's objects (this
// header's .cpp, main, usage, completion) include it. The commands use these two classes, whose
// functions have CLI11's names.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
class Option;
}  // namespace CLI

namespace sweepd {

// Each function returns the option, so that calls can be chained.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(option) {}

  Option* required();
  Option* needs(Option* other);  // an error if `other` is not given
  Option* one_of(std::vector<std::string> words);
  Option* delimiter(char separator);  // one word may contain several values
  Option* type_name(const std::string& name);
  Option* capture_default_str();  // help shows the current value as the default

 private:
  CLI::Option& option_;
};

// The program, or one of its verbs. Owns its verbs and options, which live as long as it does.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(app) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  Command* add_subcommand(const std::string& name, const std::string& help);
  // Parsing the command line writes `value`, which must live until then.
  Option* add_option(const std::string& name, std::string& value, const std::string& help);
  // Takes one word each time that it is given, so that it does not swallow the words behind it. A
  // name without `--` takes all words that no option takes.
  Option* add_option(const std::string& name, std::vector<std::string>& values,
                     const std::string& help);
  Option* add_option(const std::string& name, int& value, const std::string& help);
  Option* add_option(const std::string& name, std::int64_t& value, const std::string& help);
  Option* add_flag(const std::string& name, bool& value, const std::string& help);
  void footer(const std::string& text);  // printed at the end of help
  void callback(std::function<void()> run);

  const CLI::App& app() const { return app_; }

 private:
  Option* keep(CLI::Option* option);

  CLI::App& app_;
  std::vector<std::unique_ptr<Command>> commands_;
  std::vector<std::unique_ptr<Option>> options_;
};

}  // namespace sweepd
