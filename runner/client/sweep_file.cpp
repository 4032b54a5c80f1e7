#include "runner/client/sweep_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

namespace sweepd {

void add_sweep_file_options(CLI::App& command, SweepFiles& files) {
  command.add_option("FILE", files.files, "sweep files; - is standard input")->required();
  command.add_option("--set", files.sets, "NAME=VALUE[,VALUE...]: replace a parameter or an axis")
      ->take_all()
      ->allow_extra_args(false);
}

Result<std::string> read_sweep_file(const std::string& file) {
  std::ostringstream text;
  if (file == "-") {
    text << std::cin.rdbuf();
    return std::move(text).str();
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("cannot read the sweep file `{}`: {}", file, strerror(errno))};
  }
  text << stream.rdbuf();
  // A folder opens but does not read.
  if (!stream && !stream.eof()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("cannot read the sweep file `{}`: is it a folder?", file)};
  }
  return std::move(text).str();
}

std::string shown_name(const std::string& file) {
  return file == "-" ? "<stdin>" : file;
}

}  // namespace sweepd
