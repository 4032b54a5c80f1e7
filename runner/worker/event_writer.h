// Appends events to the rank's file. Events are buffered and written by write(2) when the caller
// says it is a good moment, which is between steps; nothing is synced, since the file must outlive
// the process, not the machine.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "runner/base/clock.h"
#include "runner/base/result.h"
#include "runner/base/unique_fd.h"
#include "runner/wire/event.h"

namespace sweepd {

// The file cannot take more (a full disk): what the attempt finds can no longer be kept, so it
// ends, with an exit code instead of an `end` event.
class JournalError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class EventWriter {
 public:
  static constexpr Duration kInterval = milliseconds(250);

  static Result<EventWriter> open(const std::filesystem::path& file);

  // An `end` is told how many lines and steps were added before, so that a reader sees a loss.
  void add(const Event& event);
  // Both throw JournalError.
  void flush();
  void flush_if_due(Instant now);  // when the last write is `kInterval` old, or 1 MiB waits

 private:
  EventWriter(UniqueFd fd, std::filesystem::path file)
      : fd_(std::move(fd)), file_(std::move(file)) {}

  UniqueFd fd_;
  std::filesystem::path file_;
  std::string buffer_;
  Instant written_;
  std::int64_t lines_ = 0, steps_ = 0;
};

}  // namespace sweepd
