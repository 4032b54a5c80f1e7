// Shows a log while it grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace sweepd {

// Prints the text that a process appends to a file.
class LogTail {
 public:
  explicit LogTail(std::filesystem::path file) : file_(std::move(file)) {}
  void print_lines();
  void print_rest();  // also a line without its end

 private:
  void read();
  void print_whole_lines();
  void print(std::size_t bytes);

  std::filesystem::path file_;
  std::int64_t at_ = 0;
  std::string waiting_;
};

}  // namespace sweepd
