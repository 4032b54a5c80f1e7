#include "runner/client/session/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

namespace sweepd {

Option* Option::required() {
  option_.required();
  return this;
}

Option* Option::needs(Option* other) {
  option_.needs(&other->option_);
  return this;
}

Option* Option::one_of(std::vector<std::string> words) {
  option_.check(CLI::IsMember(std::move(words)));
  return this;
}

Option* Option::delimiter(char separator) {
  option_.delimiter(separator);
  return this;
}

Option* Option::type_name(const std::string& name) {
  option_.type_name(name);
  return this;
}

Option* Option::capture_default_str() {
  option_.capture_default_str();
  return this;
}

Command* Command::add_subcommand(const std::string& name, const std::string& help) {
  commands_.push_back(std::make_unique<Command>(*app_.add_subcommand(name, help)));
  return commands_.back().get();
}

Option* Command::keep(CLI::Option* option) {
  options_.push_back(std::make_unique<Option>(*option));
  return options_.back().get();
}

Option* Command::add_option(const std::string& name, std::string& value, const std::string& help) {
  return keep(app_.add_option(name, value, help));
}

Option* Command::add_option(const std::string& name, std::vector<std::string>& values,
                            const std::string& help) {
  CLI::Option* option = app_.add_option(name, values, help);
  if (name.starts_with('-')) option->allow_extra_args(false)->take_all();
  return keep(option);
}

Option* Command::add_option(const std::string& name, int& value, const std::string& help) {
  return keep(app_.add_option(name, value, help));
}

Option* Command::add_option(const std::string& name, std::int64_t& value, const std::string& help) {
  return keep(app_.add_option(name, value, help));
}

Option* Command::add_flag(const std::string& name, bool& value, const std::string& help) {
  return keep(app_.add_flag(name, value, help));
}

void Command::footer(const std::string& text) {
  app_.footer(text);
}

void Command::callback(std::function<void()> run) {
  app_.callback(std::move(run));
}

}  // namespace sweepd
