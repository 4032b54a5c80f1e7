// `status.<rank>`: 128 bytes that a rank keeps mapped, so that its last phase is known even after a
// kill that left no time to report. Writing is two plain stores into a shared page, without a
// system call inside a timed step.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "runner/base/result.h"

namespace sweepd {

struct Status {
  std::int64_t step = -1;  // -1 before the first
  std::string phase;       // "setup" before the first step
  std::string note;        // the last collective entered, for gangs
};

class StatusWriter {
 public:
  static Result<StatusWriter> open(const std::filesystem::path& file);
  StatusWriter(StatusWriter&& other) noexcept;
  StatusWriter& operator=(StatusWriter&&) = delete;
  ~StatusWriter();

  void set_step(std::int64_t step);
  void set_phase(std::string_view phase);  // cut at 47 bytes
  void set_note(std::string_view note);    // cut at 63 bytes

 private:
  explicit StatusWriter(char* page) : page_(page) {}
  char* page_;
};

// A missing or short file is read as the default.
Status read_status(const std::filesystem::path& file);

}  // namespace sweepd
