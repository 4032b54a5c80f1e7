#include "runner/client/sweep_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

namespace sweepd {

void add_sweep_file_options(Command& command, SweepFiles& files) {
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
  std::error_code ignored;  // a folder opens like a file, and reads as an empty one
  if (std::filesystem::is_directory(file, ignored)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`{}` is a folder; expected a sweep file", file)};
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("cannot read the sweep file `{}`: {}", file, strerror(errno))};
  }
  text << stream.rdbuf();
  if (stream.bad()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("cannot read the sweep file `{}`: {}", file, strerror(errno))};
  }
  return std::move(text).str();
}

std::string shown_name(const std::string& file) {
  return file == "-" ? "<stdin>" : file;
}

}  // namespace sweepd
