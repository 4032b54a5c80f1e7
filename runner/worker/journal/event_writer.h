// Appends events to the rank's file. Events are buffered and written with write(2) when the caller
// asks for it, which is between steps. Nothing is synced: the file must survive the process, not
// the machine.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "runner/base/clock.h"
#include "runner/base/result.h"
#include "runner/base/unique_fd.h"
#include "runner/wire/event.h"

namespace sweepd {

// The file cannot grow (a full disk). The attempt ends with an exit code instead of an `end` event,
// since further results would be lost.
class JournalError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class EventWriter {
 public:
  static constexpr Duration kInterval = milliseconds(250);

  static Result<EventWriter> open(const std::filesystem::path& file);

  // An `end` gets the number of lines and steps added before it, so that a reader notices a loss.
  // Throws std::length_error if the event's line, or the whole journal, would be longer than a
  // reader takes (wire/journal.h); an `end` always has room.
  void add(const Event& event);
  // Both throw JournalError.
  void flush();
  void flush_if_due(Instant now);  // if the last write is `kInterval` old, or 1 MiB is buffered

 private:
  EventWriter(UniqueFd fd, std::filesystem::path file)
      : fd_(std::move(fd)), file_(std::move(file)) {}
  void check_room(std::size_t line_bytes) const;

  UniqueFd fd_;
  std::filesystem::path file_;
  std::string buffer_;
  Instant written_;
  std::int64_t bytes_ = 0, lines_ = 0, steps_ = 0;  // added
  std::optional<std::pair<WallTime, Instant>> started_;
};

}  // namespace sweepd
