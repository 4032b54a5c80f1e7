// The commands of the program and their options, over CLI11. CLI11 is header-only: a file that
// includes it compiles all of it again, which takes longer than everything else in a command. So
// only the files that read what CLI11 holds (this one's .cpp, main, usage, completion) include it,
// and the commands see these two classes, whose functions are named as CLI11's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace sweepd {

// Each function returns the option itself, so that calls can be chained.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(option) {}

  Option* required();
  Option* needs(Option* other);  // an error without `other`
  Option* one_of(std::vector<std::string> words);
  Option* delimiter(char separator);     // one word may hold several values
  Option* take_all();                    // may be given several times
  Option* allow_extra_args(bool allow);  // false: one value each time it is given
  Option* type_name(const std::string& name);
  Option* capture_default_str();  // help shows the present value as the default

 private:
  CLI::Option& option_;
};

// The program, or one verb of it. Owns its verbs and options; they live as long as it does.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(app) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  Command* add_subcommand(const std::string& name, const std::string& help);
  // `value` is written when the command line is parsed, and must outlive that.
  Option* add_option(const std::string& name, std::string& value, const std::string& help);
  Option* add_option(const std::string& name, std::vector<std::string>& values,
                     const std::string& help);
  Option* add_option(const std::string& name, int& value, const std::string& help);
  Option* add_option(const std::string& name, std::int64_t& value, const std::string& help);
  Option* add_flag(const std::string& name, bool& value, const std::string& help);
  void footer(const std::string& text);  // help ends with it
  void callback(std::function<void()> run);

  const CLI::App& app() const { return app_; }

 private:
  Option* keep(CLI::Option* option);

  CLI::App& app_;
  std::vector<std::unique_ptr<Command>> commands_;
  std::vector<std::unique_ptr<Option>> options_;
};

}  // namespace sweepd
