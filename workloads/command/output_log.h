// What a program prints, in the log of its attempt.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string_view>

#include "runner/base/log_cap.h"

namespace sweepd::command {

// The attempt's log. A program may print without end, so the log is limited while it runs.
class OutputLog {
 public:
  void write(std::string_view line) {
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fputc('\n', stdout);
    since_look_ += static_cast<std::int64_t>(line.size()) + 1;
    if (since_look_ >= LogCap{}.tail_bytes) cap();
  }
  void flush() { std::fflush(stdout); }
  void cap() {
    flush();
    if (const auto capped = cap_own_log(); !capped)
      std::fputs(capped.error().message.c_str(), stderr);
    since_look_ = 0;
  }

 private:
  std::int64_t since_look_ = 0;  // bytes
};

}  // namespace sweepd::command
