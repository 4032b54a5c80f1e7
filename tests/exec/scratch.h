// A temporary folder for a test, with shell scripts that act as the worker.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "runner/base/ids.h"
#include "runner/base/unique_fd.h"

namespace sweepd {

class Scratch : public testing::Test {
 protected:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "sweepd-exec-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  ~Scratch() override { std::filesystem::remove_all(root_); }

  static std::string read(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  void write(const std::filesystem::path& relative, const std::string& text) const {
    std::filesystem::create_directories((root_ / relative).parent_path());
    std::ofstream(root_ / relative) << text;
  }
  // Writes a program that runs these lines.
  std::filesystem::path script(const std::string& lines) const {
    const std::filesystem::path file = root_ / "worker";
    std::ofstream(file) << "#!/bin/sh\n" << lines << "\n";
    ::chmod(file.c_str(), 0755);
    return file;
  }
  // Opening a fifo waits for the other side, so a script's `echo > fifo` shows that it got there.
  std::filesystem::path fifo(const std::string& name) const {
    ::mkfifo((root_ / name).c_str(), 0600);
    return root_ / name;
  }
  // Waits until the process has ended. Ten seconds are for a very busy machine.
  static bool ends(const UniqueFd& pidfd) {
    pollfd poll{pidfd.get(), POLLIN, 0};
    return ::poll(&poll, 1, 10'000) == 1;
  }

  std::filesystem::path root_;
  // Each test's own. An attempt's leftovers are found by its id on the whole machine, so two
  // tests of one id would end each other's processes.
  const std::string id_ = random_id();
};

}  // namespace sweepd
